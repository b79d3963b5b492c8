"""What the measuring child says, in the user's language.

The child knows no catalogue: any Python that has llama_cpp runs it, and it speaks English. Its sentences are whole
templates that are known here, so that what it says can be recognised and said again; what is not known stays as it is.
"""

import re
from functools import cache
from typing import Final

from advisor.core.numbers import count
from advisor.core.translation import ENGLISH, language, marked, tr

_SAID: Final = (
    # what it is doing
    marked("Loading the model"),
    marked("Loading the model, {share} %"),
    marked("{phase}, warming up"),
    marked("{phase}, repetition {number} of {most}"),
    marked("Prefill"),
    marked("Decode"),
    marked("Filling the cache with {tokens} token"),
    marked("Filling the cache with {tokens} tokens"),
    marked("Writing text as in real use"),
    marked("Measuring how fast this machine reads and computes"),
    marked("Warming up"),
    marked("Reading the whole prompt, round {number} of {most}"),
    marked("Reading the same prompt again, round {number} of {most}"),
    marked("Reading what changed, round {number} of {most}"),
    marked("Reading a prompt that was changed at its beginning"),
    marked("Reading the model"),
    marked("Measuring what several tokens per step cost"),
    marked("Warming up, pieces of {tokens} token"),
    marked("Warming up, pieces of {tokens} tokens"),
    marked("Warming up, {way}"),
    marked("Writing {text}, {way}, round {number} of {most}"),
    marked("Writing"),
    marked("plain"),
    marked("guessing"),
    marked("a program written again with a small change"),
    marked("prose that repeats nothing"),
    marked("Round {number} of {most}, a prompt in pieces of {tokens} token"),
    marked("Round {number} of {most}, a prompt in pieces of {tokens} tokens"),
    marked("Reading the model's vocabulary"),
    marked("Counting tokens"),
    # why it could not do it, and what to do
    marked("there was no time left"),
    marked("There is not enough free memory for this measurement."),
    marked("Close other programs or choose a smaller model."),
    marked("The measuring process failed: {kind}: {error}"),
    marked("The engine could not start its device {device}."),
    marked("This llama-cpp-python has no samplers ({error})."),
    marked("Update it."),
    marked("Update the engine."),
    marked("Update llama-cpp-python."),
    marked("The engine's libraries have no function {name}."),
    marked("The engine has no way to set its threads."),
    marked("The llama-cpp-python of this Python ({python}) is built for another kind of processor."),
    marked("Install it anew there: {command}"),
    marked("{what} is installed but does not load: {error}"),
    marked("A library it needs may be missing, or it was built for another system; reinstall it: {command}"),
    marked(
        "This model keeps a state that cannot be cut back, so wrong guesses cannot be taken out of it again, and "
        "speculation is not tried with it."
    ),
    marked("llama-server keeps copies of the state for it; measure it there."),
    marked("The engine could not take wrong guesses out of this model's cache again."),
    marked("its tokenizer is of another kind"),
    marked("its vocabulary has {tokens} tokens and the model's {other}"),
    marked("it begins or ends a text with another token"),
    marked("the same numbers stand for other words in it"),
    marked("it cuts the same text into other tokens"),
    marked("The draft model cannot be used: {sentence}"),
    marked("This model cannot guess for the other: {why}."),
    marked("Choose a small model of the same family and generation."),
    marked("Install it with: {command}"),
    marked("The package llama-cpp-python is not installed in this Python ({python})."),
    marked("The engine could not make a context of {tokens} tokens."),
    marked("There may be too little free memory; choose a smaller prompt or model."),
    marked("The model has no tokenizer, so it can neither read nor write text."),
    marked("The model's tokenizer refused plain text (it returned {code})."),
    marked("The engine could not process a batch (llama_decode returned {code})."),
    marked("There may be too little free memory for this context."),
    marked("The model has no vocabulary to draw tokens from."),
    marked("Update the engine: {command}"),
    marked("This engine splits a model over {n} device at most."),
    marked("This engine splits a model over {n} devices at most."),
    marked("The engine has no device {name}."),
    marked("The engine has no buffer type {name}."),
    marked("It has: {names}."),
    marked("Tensors were sent to {device}, which is not among the chosen devices ({names})."),
    marked("Choose it, too: {option}"),
    marked("This llama-cpp-python has no setting {name}."),
    marked("The engine can neither cut this model's cache back nor copy its state, so no beginning can be kept."),
    marked("The engine did not take a copy of the model's state back."),
    marked("The engine could not cut this model's cache back."),
    marked("There is too little room to keep what the first model says of the text."),
    marked("The text has only {tokens} token in this model's vocabulary."),
    marked("The text has only {tokens} tokens in this model's vocabulary."),
    marked("The two files have different vocabularies and cannot be compared."),
    marked("The file is quantised already."),
    marked("Start from its F16 file."),
    marked("So few bits per weight need an importance matrix, which is not made here."),
    marked("Choose a type of four bits or more."),
    marked("This engine does not know the model's architecture."),
    marked("This engine cannot make files of that type."),
    marked("Choose another type."),
    marked("The quantised file could not be written."),
    marked("There may be too little room there."),
    marked("{name} exists already."),
    marked("Remove it first."),
    marked("This llama-cpp-python does not tell sizes as expected."),
    marked("This llama-cpp-python cannot quantise."),
    marked("This llama-cpp-python cannot tell sizes beforehand."),
    marked("The engine could not quantise the model: {why}."),
    marked("it did not say why"),
    marked("numpy is not installed in this Python."),
    marked("This engine was built without RPC, so it cannot use other machines."),
    marked("Build it with it: {command}"),
    marked("This engine's RPC offers no way to add a server."),
    marked("The RPC server {server} offers no device."),
    marked("Look at what it prints."),
    marked("{server} is no address of an RPC server."),
    marked("Write it as HOST:PORT."),
    marked("No RPC server answers at {server} ({error})."),
    marked("Start rpc-server on that machine with -H 0.0.0.0, and check address, port and firewall."),
    marked("The prompt file cannot be read ({error})."),
    marked("Check its path, and that you may read it."),
    # why a model was not loaded
    marked("The file is fine, but this engine does not know its architecture ({reason})."),
    marked("The file is fine, but this engine does not know its tensor type {number}."),
    marked("The file is fine, but this engine does not know its tokenizer ({kind})."),
    marked("The engine could not open the file, although this program can read it."),
    marked("Move it to a folder with a short name of plain letters, and check that no other program holds it."),
    marked("The model does not fit into the free memory."),
    marked("Close other programs, or use a smaller model or quantisation."),
    marked("The engine could not load the model."),
    marked("The engine could not load the model: {reason}."),
    marked("The file may be damaged, or newer than this engine."),
    marked("unknown"),
    marked("Update llama.cpp, or choose another engine: two-machines engines"),
    marked("The engine failed."),
)

_PLACE: Final = re.compile(r"\\\{(\w+)\\\}")
_GROUPED: Final = re.compile(r"\d{1,3}(?:,\d{3})+")
"""A number as the child groups its thousands."""


def translated(text: str) -> str:
    """What the child said, in the user's language; as it is where that is English, or where it is not known."""
    if not text or language() == ENGLISH:
        return text
    if _GROUPED.fullmatch(text):
        return count(int(text.replace(",", "")))
    for template, shape in _shapes():
        found = shape.fullmatch(text)
        if found is not None:
            return tr(template, **{name: translated(value) for name, value in found.groupdict().items()})
    return text


@cache
def _shapes() -> tuple[tuple[str, "re.Pattern[str]"], ...]:
    """Each template with its shape, those first that say most: a place takes whatever stands there."""
    templates = sorted(_SAID, key=lambda template: (template.count("{"), -len(template)))
    return tuple((each, re.compile(_PLACE.sub(r"(?P<\1>.+)", re.escape(each)), re.DOTALL)) for each in templates)
