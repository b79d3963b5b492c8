"""Flash attention on or off: only where the sweep measured a difference at the request's depth."""

from typing import Final

from advisor.benchmarks.model import EngineMode, FlashAttention, Sweep
from advisor.benchmarks.phrases import flash_attention, joined
from advisor.core.evidence import Basis
from advisor.core.numbers import capital
from advisor.core.translation import tr, trc
from advisor.recommendations import setting_at_depth, trying
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.setting_at_depth import Effect

ID: Final = "flash-attention"


def predict(evidence: Evidence) -> Advice | None:
    """The faster of on and off, where it beats the present setting by more than chance."""
    found = [(setting, effects_of(evidence, setting)) for setting in (FlashAttention.ON, FlashAttention.OFF)]
    better = [(setting, effects) for setting, effects in found if setting_at_depth.helps(effects)]
    if not better or evidence.faulty:
        return None
    setting, effects = max(better, key=lambda held: sum(effect.saving.middle_s for effect in held[1]))
    main, rest = effects[0], effects[1:]
    rows = setting_at_depth.tried_rows(evidence, effects)
    return Advice(
        id=ID,
        phase=main.phase,
        title=tr("Switch flash attention on") if setting is FlashAttention.ON else tr("Switch flash attention off"),
        detail=f"{capital('; '.join(effect.words() for effect in effects))}.",
        saved_s=main.saving.middle_s,
        saved_s_low=main.saving.low_s,
        saved_s_high=main.saving.high_s,
        basis=Basis.MEASURED,
        how=_how(setting, main.comparison.base.n_depth),
        cost=(
            tr("more memory for attention at great depth, and the cache cannot be kept in 8 bits")
            if setting is FlashAttention.OFF
            else trc("cost", "none")
        ),
        undo=tr("leave the option out; the engine then chooses"),
        evidence=tr(
            "Measured here with the other setting “{setting}”: {effects}.",
            setting=main.comparison.base.flash_attention, effects=joined([effect.verdict() for effect in effects]),
        ),
        other_saved_s=sum(effect.saving.middle_s for effect in rest),
        trial=trying.setting(
            rows, flash_attention(rows[0].flash_attention), flash_attention(setting), flash_attention=setting
        ),
    )


def effects_of(evidence: Evidence, setting: FlashAttention) -> tuple[Effect, ...]:
    """What that setting did in the sweep; nothing where safe mode decides the setting."""
    rows = (evidence.prefill_row, evidence.decode_row)
    if any(row is not None and row.mode >= EngineMode.NO_FLASH_ATTENTION for row in rows):
        return ()
    return setting_at_depth.effects(
        evidence, Sweep.FLASH_ATTENTION, lambda row: row.flash_attention is setting
    )


def _how(setting: FlashAttention, depth: int) -> tuple[HowTo, ...]:
    ollama = (
        HowTo("Ollama", tr("One switch for all models."), "OLLAMA_FLASH_ATTENTION=1 ollama serve")
        if setting is FlashAttention.ON
        else HowTo("Ollama", tr("One switch for all models; the cache must then stay in 16 bits."),
                   "OLLAMA_FLASH_ATTENTION=0 ollama serve")
    )
    return (
        HowTo("llama-server", tr("The default “auto” lets the engine choose."), f"llama-server -fa {setting}"),
        ollama,
        HowTo("LM Studio", tr("Switch “Flash Attention” on in the model's load settings.")
              if setting is FlashAttention.ON else tr("Switch “Flash Attention” off in the model's load settings.")),
        HowTo(tr("this app"), tr("Measure at this depth with the setting."),
              f"two-machines bench MODEL -d {depth} -fa {setting}"),
    )
