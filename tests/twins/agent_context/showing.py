"""Twins that show the wrong things of a record: its reference, its fields, its texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from evalkit.contracts.agent_context import projection, records
from evalkit.contracts.agent_context.javascript import cut, fold_whitespace, to_string
from evalkit.contracts.agent_context.projection import project
from evalkit.contracts.agent_context.references import reference
from evalkit.contracts.agent_context.vocabulary import Json, Redact
from tests.twins.twin import altered, twin

Project = Callable[[str, str, Json, str, Redact], Json]
Reference = Callable[[str, str, Json, Redact], str]


def unredacted(value: Json, limit: int) -> str:
    """What redaction leaves of a text when it has no rule: folded and cut."""
    return cut(fold_whitespace("" if value is None else to_string(value)), limit)


def _in(scope: str, name: Callable[[str, Json], str]) -> Reference:
    """References that are made otherwise in one scope."""
    return lambda asked, kind, record, redact: (
        name(kind, record) if asked == scope else reference(asked, kind, record, redact)
    )


def _renamed(scope: str, name: str, record: Json, redact: Redact) -> str:
    other = f"{record.get('appId')}{record.get('appName')}"
    return reference(scope, name, {**record, "appId": other}, redact)


def _without_type(scope: str, name: str, record: Json, redact: Redact) -> str:
    return reference(scope, "record" if scope == "brain" else name, record, redact)


REFERENCE_TWINS = (
    twin(
        "raw ids in references",
        "list-ref-hash",
        "brain-meta",
        "refs-opaque",
        "no-raw-ids",
        reference=lambda scope, name, record, redact: (
            f"{scope}:{name}:{record.get('appId', record.get('id', name))}"
        ),
    ),
    twin(
        "the raw id of a workspace in its reference",
        "list-ref-hash",
        "get-raw-appid[spelt-out]",
        "refs-opaque",
        reference=_in("workspaces", lambda name, record: f"workspaces:workspace:{record.get('appId')}"),
    ),
    twin(
        "the raw id of a brain record in its reference",
        "brain-meta",
        "refs-opaque",
        reference=_in("brain", lambda name, record: f"brain:{name}:{record.get('id')}"),
    ),
    twin(
        "a private name in a reference",
        "identity-key-pii",
        "nav-id-pii",
        reference=lambda scope, name, record, redact: reference(scope, name, record, unredacted),
    ),
    twin(
        "a page named by its hash",
        "list-nav-shape",
        "nav-alias",
        reference=_in(
            "navigation", lambda name, record: "navigation:" + sha256(record["id"].encode()).hexdigest()[:20]
        ),
    ),
    twin(
        "a reference of 19 digits",
        "list-ref-hash",
        "refs-opaque",
        reference=lambda *parts: reference(*parts)[:-1],
    ),
    twin(
        "an id hashed as JSON",
        "list-ref-hash",
        reference=_in(
            "workspaces",
            lambda name, record: (
                "workspaces:workspace:" + sha256(json.dumps(record.get("appId")).encode()).hexdigest()[:20]
            ),
        ),
    ),
    twin("a reference that depends on a name", "list-ref-stable", reference=_renamed),
    twin(
        "one reference for all",
        "get-roundtrip",
        "refs-opaque",
        "page-walk-complete",
        reference=_in("workspaces", lambda name, record: "workspaces:workspace:ca978112ca1bbdcafac2"),
    ),
    twin("a reference without the type of the record", "brain-meta", reference=_without_type),
)


def _items(scope: str, change: Callable[[dict[str, Json], Json], dict[str, Json]]) -> Project:
    """Items of one scope of which something is changed, by the item and the raw record."""

    def shown(asked: str, name: str, record: Json, profile: str, redact: Redact) -> Json:
        item = project(asked, name, record, profile, redact)
        return {**item, **change(item, record)} if asked == scope else item

    return shown


def _in_profile(profile: str, *scopes: str) -> Project:
    """Some scopes shown in a profile that is not the configured one."""
    return lambda scope, name, record, configured, redact: project(
        scope, name, record, profile if scope in scopes else configured, redact
    )


def _unredacted_in(*scopes: str) -> Project:
    return lambda scope, name, record, profile, redact: project(
        scope, name, record, profile, unredacted if scope in scopes else redact
    )


def _read(scope: str, **names: Any) -> Project:
    """One scope read by other means than those that stand under these names."""
    of_scope = altered(projection._PROJECTIONS[scope], **names)
    return altered(project, _PROJECTIONS={**projection._PROJECTIONS, scope: of_scope})


def _texts(*fields: str) -> Project:
    return _read("brain", brain_text=altered(records.brain_text, BRAIN_TEXTS=fields))


def _labels(*fields: str) -> Project:
    return _read("brain", brain_label=altered(records.brain_label, _BRAIN_LABELS=fields))


def _any_text(record: Json) -> str:
    return " ".join(json.dumps(record[field]) for field in records.BRAIN_TEXTS if field in record)


def _other(field: str) -> Callable[[dict[str, Json], Json], dict[str, Json]]:
    return lambda item, record: {field: "other"}


def _private(field: str) -> Callable[[dict[str, Json], Json], dict[str, Json]]:
    return lambda item, record: {field: record.get(field)}


def _private_in_summary(field: str) -> Callable[[dict[str, Json], Json], dict[str, Json]]:
    return lambda item, record: {"summary": f"{item['summary']} {record.get(field)}"}


_PRIVATE: Mapping[str, str] = {
    "navigation": "internalRoute",
    "workspaces": "savedBranch",
    "brain": "privateBody",
    "identity": "privateBody",
}

PRIVACY_TWINS = (
    *(
        twin(
            f"a private field of {scope} passed through",
            f"private-fields[scope={scope}]",
            project=_items(scope, _private(field)),
        )
        for scope, field in _PRIVATE.items()
    ),
    *(
        twin(
            f"a private field of {scope} passed through and the output unchecked",
            f"private-fields[scope={scope}]",
            f"private-fields-summary[scope={scope}]",
            "no-raw-ids",
            project=_items(scope, _private(field)),
            output_is_valid=lambda tool, output: True,
        )
        for scope, field in _PRIVATE.items()
    ),
    *(
        twin(
            f"a private field in a summary of {scope}",
            f"private-fields[scope={scope}]",
            f"private-fields-summary[scope={scope}]",
            "no-raw-ids",
            project=_items(scope, _private_in_summary(field)),
        )
        for scope, field in _PRIVATE.items()
    ),
    twin(
        "aliases and keywords of a page shown",
        "search-alias-keyword",
        project=_items(
            "navigation",
            lambda item, record: {"summary": str((record.get("aliases"), record.get("keywords")))},
        ),
    ),
    twin(
        "profile ignored",
        "list-ref-hash",
        "ws-name-hidden",
        "brain-meta",
        "metadata-hides-names",
        "search-metadata-match",
        project=_in_profile("summary", "workspaces", "brain"),
    ),
    twin(
        "the name of a workspace under metadata",
        "ws-name-hidden",
        "metadata-hides-names",
        "private-fields[scope=workspaces]",
        project=_in_profile("summary", "workspaces"),
    ),
    twin(
        "the text of a brain record under metadata",
        "brain-meta",
        "metadata-hides-names",
        "private-fields[scope=brain]",
        project=_in_profile("summary", "brain"),
    ),
    twin(
        "metadata whatever the profile",
        "brain-summary",
        "ws-name-redacted",
        "list-ref-stable",
        project=_in_profile("metadata", "workspaces", "brain"),
    ),
    twin(
        "pages unredacted",
        "nav-identity-labels[page]",
        "nav-identity-labels-metadata",
        "nav-section-private",
        project=_unredacted_in("navigation"),
    ),
    twin("workspaces unredacted", "ws-name-redacted", project=_unredacted_in("workspaces")),
    twin(
        "brain records unredacted",
        "brain-summary",
        "em-plain",
        "red-title",
        "red-each-tool",
        project=_unredacted_in("brain"),
    ),
    twin(
        "identity sections unredacted",
        "nav-identity-labels[section]",
        "identity-key-pii",
        project=_unredacted_in("identity"),
    ),
    twin(
        "labels unredacted under metadata",
        "nav-identity-labels-metadata",
        project=lambda scope, name, record, profile, redact: project(
            scope, name, record, profile, redact if profile == "summary" else unredacted
        ),
    ),
    twin(
        "the title of a brain record unredacted",
        "red-title",
        project=_items("brain", lambda item, record: {"title": unredacted(record.get("name", "T"), 160)}),
    ),
    *(
        twin(f"{field} of a brain record shown", case, project=_texts(*records.BRAIN_TEXTS, field))
        for field, case in (
            ("status", "brain-nonstring-fields"),
            ("privateBody", "no-raw-ids"),
            ("id", "no-raw-ids"),
        )
    ),
    twin(
        "what is no text shown as text",
        "brain-nonstring-fields",
        project=_read("brain", brain_text=_any_text),
    ),
)

FIELD_TWINS = (
    *(
        twin(
            f"{field} of a brain record not shown",
            "brain-field-order",
            "red-across-fields",
            project=_texts(*(one for one in records.BRAIN_TEXTS if one != field)),
        )
        for field in records.BRAIN_TEXTS
    ),
    twin(
        "the texts of a brain record in another order",
        "brain-field-order",
        project=_texts(*records.BRAIN_TEXTS[::-1]),
    ),
    *(
        twin(
            f"a brain record not called by its {field}",
            case,
            project=_labels(*(one for one in records._BRAIN_LABELS if one != field)),
        )
        for field, case in (
            ("name", "red-title"),
            ("title", "brain-label-order"),
            ("oneLiner", "brain-label-order"),
            ("capturedText", "brain-label-order"),
        )
    ),
    twin(
        "an empty name taken for a name",
        "brain-label-order",
        project=_read(
            "brain", brain_label=altered(records.brain_label, is_truthy=lambda value: value is not None)
        ),
    ),
    twin(
        "a name that is no text left out",
        "brain-nonstring-fields",
        project=_read(
            "brain", brain_label=altered(records.brain_label, is_truthy=lambda value: isinstance(value, str))
        ),
    ),
    twin(
        "a brain record without text shown without a summary",
        "brain-summary-empty",
        project=_items("brain", lambda item, record: {} if "title" in record else {"summary": ""}),
    ),
    *(
        twin(
            f"the {field} of {scope} is wrong",
            case,
            project=_items(scope, _other(field)),
        )
        for scope, case in (
            ("navigation", "list-nav-shape"),
            ("workspaces", "list-ref-hash"),
            ("brain", "brain-meta"),
            ("identity", "list-identity-present"),
        )
        for field in ("kind", "title", "summary", "path")
    ),
    twin(
        "the path of a page not shown",
        "list-nav-shape",
        project=_read("navigation", cut=lambda text, most: ""),
    ),
    twin(
        "a page without a path shows a word for it",
        "list-nav-no-path",
        project=_items("navigation", lambda item, record: {"path": str(record.get("path"))}),
    ),
    twin("a path uncapped", "path-300", project=_read("navigation", MAX_PATH_CHARS=10**6)),
    twin("a path of 299 characters", "path-300", project=_read("navigation", MAX_PATH_CHARS=299)),
    twin("a section uncapped", "path-300", project=_read("navigation", MAX_SUMMARY_CHARS=10**6)),
    twin(
        "whole task counts only",
        "list-taskcount-number[text]",
        "list-taskcount-number[true]",
        "list-taskcount-number[list]",
        "list-taskcount-number[infinite]",
        project=_read("workspaces", _task_count=lambda value: str(value) if type(value) is int else "0"),
    ),
    twin(
        "a task count as it stands",
        "list-taskcount-junk",
        "list-taskcount-number[hexadecimal]",
        "list-taskcount-number[whole]",
        project=_read("workspaces", _task_count=str),
    ),
    twin("tasks not counted", "page-last", project=_read("workspaces", _task_count=lambda value: "0")),
    twin(
        "only true means present",
        "list-identity-truthy",
        project=_read("identity", is_truthy=lambda value: value is True),
    ),
    twin("truth as Python sees it", "list-identity-truthy", project=_read("identity", is_truthy=bool)),
    twin(
        "every section called present",
        "list-identity-present",
        "list-identity-absent",
        project=_read("identity", is_truthy=lambda value: True),
    ),
    twin(
        "a section called by its key",
        "list-identity-present",
        project=_read("identity", identity_label=lambda key, record: key),
    ),
    twin(
        "a section without a label not called by its key",
        "list-identity-absent",
        project=_read("identity", identity_label=lambda key, record: str(record.get("label"))),
    ),
)

TWINS = (*REFERENCE_TWINS, *PRIVACY_TWINS, *FIELD_TWINS)
