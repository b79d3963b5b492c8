"""Any evidence that a diagnosis may rest on, for tests of what holds whatever was measured."""

from dataclasses import replace

from hypothesis import strategies as st

from advisor.benchmarks.model import Conditions, EngineCheck, EngineMode, FlashAttention, Stamp, Sweep
from advisor.core.evidence import Basis, Known
from advisor.diagnosis.workload import PRESETS, custom
from advisor.recommendations.evidence import Evidence
from tests.support.evidence import VALID, ceilings, device, engine, evidence, gpu, machine, model, pp, tg, traffic

workloads = st.builds(
    custom, prompt=st.integers(1_000, 50_000), answer=st.integers(1, 5_000), shared=st.integers(0, 1_000),
    users=st.sampled_from((1, 1, 1, 4, 32)),
) | st.sampled_from(list(PRESETS.values()))
models = st.builds(
    lambda weights, bits, window, mixture: model(
        traffic(weights, weights * 8 / bits, window=window, experts=64 if mixture else 0,
                experts_used=4 if mixture else 0, expert_bytes=weights * 5 if mixture else 0),
        bits=bits, label="Q4_K_M" if bits < 5.5 else "Q8_0"),
    st.floats(1e8, 80e9), st.floats(2, 16), st.sampled_from((None, 512)), st.booleans(),
)
computers = st.builds(
    lambda cards, battery, guest: machine(gpus=cards, on_battery=battery, virtual=guest),
    st.sampled_from(((), (gpu(),), (gpu(bytes_per_s=None),), (gpu(shares=True),))), st.booleans(), st.booleans(),
)


reasons = st.sampled_from((
    VALID,
    Conditions(Stamp.INVALID, ("other programs used 64\u00a0% of the CPU, most of all backup",)),
    Conditions(Stamp.SUSPECT, ("the processor was throttled 3\u00a0times",)),
    Conditions(Stamp.INVALID, ("the computer was swapping (5.00\u00a0MB read back from disk)",), fault=True),
))


@st.composite
def situations(draw, conditions=reasons) -> Evidence:  # type: ignore[no-untyped-def]
    """Any machine, model, work and figures, with any points of any curves."""
    facts, where = draw(models), draw(st.sampled_from(("CPU", "CUDA0", "CUDA0+CPU")))
    read, write = draw(st.floats(0.5, 1e4)), draw(st.floats(0.5, 300))
    more = {"on": where, "conditions": draw(conditions), "safe": draw(st.booleans())}
    rows = [pp([read, read * 1.1], **more), tg([write, write * 0.97], **more)]
    factor = st.floats(0.3, 3)
    for ubatch in draw(st.sets(st.sampled_from((128, 256, 512, 1024, 2048)))):
        rows.append(replace(pp([read * draw(factor)] * 3, tokens=2048, **more), n_ubatch=ubatch, sweep=Sweep.UBATCH))
    for streams in draw(st.sets(st.integers(2, 32), max_size=4)):
        rows.append(replace(tg([write * draw(factor)] * 3, tokens=16 * streams, **more), n_streams=streams, n_gen=16,
                            sweep=Sweep.BATCH))
    for make, speed in ((pp, read), (tg, write)):
        for setting in ({"sweep": Sweep.DEPTH}, {"sweep": Sweep.KV_TYPE, "kv_type": "q8_0"},
                        {"sweep": Sweep.FLASH_ATTENTION, "flash_attention": FlashAttention.OFF}):
            if draw(st.booleans()):
                point = make([speed * draw(factor)] * 3, tokens=512 if make is pp else 32, depth=4000, **more)
                rows.append(replace(point, **setting))
    bounds = ceilings(facts.traffic.value, draw(st.floats(5e9, 2e12)), draw(st.floats(1e10, 1e14)))
    check = EngineCheck(EngineMode.NO_EXTRA_BUFFERS, "it crashed")
    found = [device(), replace(device("CPU", "cpu"), self_test=Known(check, Basis.MEASURED, "test"))]
    runtime = engine(gpu_offload=draw(st.booleans()), devices=draw(st.sampled_from(((), found))))
    return evidence(draw(workloads), rows, facts=facts, bounds=bounds, computer=draw(computers), runtime=runtime)
