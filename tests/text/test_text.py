"""A file is read as a whole or refused with a reason, whatever it is."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evalkit.errors import Mistake, SuiteError
from evalkit.text import TEXT_MISTAKES, parse_document, read_document

TESTS = Path(__file__).parent
CORPUS = Path(__file__).parents[2] / "../shared/corpus"


def refused(path: Path) -> Mistake:
    with pytest.raises(SuiteError) as caught:
        read_document(path, "suites/x")
    [mistake] = caught.value.mistakes
    assert mistake.file == "suites/x"
    assert mistake.message
    assert mistake.remedy
    return mistake


def refused_bytes(text: bytes, tmp_path: Path, name: str = "x.yaml") -> Mistake:
    path = tmp_path / name
    path.write_bytes(text)
    return refused(path)


def place(mistake: Mistake) -> tuple[str, int, int]:
    return mistake.code, mistake.line, mistake.column


def test_a_document_has_its_data_its_digest_and_its_name(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"a: 1\r\nb: [x]\r\n")
    document = read_document(path, "suites/x.yaml")
    assert document.file == "suites/x.yaml"
    assert document.data == {"a": 1, "b": ["x"]}
    assert document.sha256 == hashlib.sha256(b"a: 1\r\nb: [x]\r\n").hexdigest()
    assert document.excerpt(2) == "b: [x]"
    assert document.excerpt(9) == ""


def test_a_document_cannot_be_changed() -> None:
    document = parse_document(b"a: 1", "x", format="yaml")
    with pytest.raises(AttributeError):
        document.data = {}  # type: ignore[misc]


@pytest.mark.parametrize(("name", "number"), [("x.json", 1.1), ("X.JSON", 1.1)])
def test_a_name_in_json_is_read_as_json(tmp_path: Path, name: str, number: float) -> None:
    path = tmp_path / name
    path.write_text('{"a": 1.10}')
    assert read_document(path, "x").data == {"a": number}


@pytest.mark.parametrize("name", ["x.yaml", "x.yml", "x", "x.json.yaml"])
def test_any_other_name_is_read_as_yaml(tmp_path: Path, name: str) -> None:
    assert place(refused_bytes(b'{"a": 1.10}', tmp_path, name)) == ("trailing-zero", 1, 7)


# what is no text file


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    assert place(refused(tmp_path / "x.yaml")) == ("missing-file", 0, 0)
    (tmp_path / "file").write_text("")
    assert place(refused(tmp_path / "file" / "x.yaml")) == ("missing-file", 0, 0)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    mistake = refused(tmp_path)
    assert place(mistake) == ("not-a-file", 0, 0)
    assert "folder" in mistake.message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.yaml")
    assert place(refused(tmp_path / "x.yaml")) == ("not-a-file", 0, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_file_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").symlink_to("x.yaml")
    assert place(refused(tmp_path / "x.yaml")) == ("unreadable-file", 0, 0)


def test_a_file_that_refuses_to_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.yaml").write_text("a: 1")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    mistake = refused(tmp_path / "x.yaml")
    assert place(mistake) == ("unreadable-file", 0, 0)
    assert "Permission denied" in mistake.message


@pytest.mark.parametrize("name", ["x.yaml", "x.json"])
def test_a_hundred_megabytes_are_refused_without_being_read(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    monkeypatch.setattr(Path, "open", None)
    mistake = refused(path)
    assert place(mistake) == ("file-too-large", 0, 0)
    assert "100.0 MiB" in mistake.message


def test_thirty_two_mebibytes_are_read_and_one_byte_more_is_refused() -> None:
    text = b'"' + b"x" * (32 * 1024 * 1024 - 2) + b'"'
    assert len(parse_document(text, "x", format="json").data) == len(text) - 2
    with pytest.raises(SuiteError) as caught:
        parse_document(text + b" ", "x", format="json")
    assert [place(mistake) for mistake in caught.value.mistakes] == [("file-too-large", 0, 0)]


# what is not UTF-8


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("name", ["x.yaml", "x.json"])
def test_utf_16_and_utf_32_are_named(tmp_path: Path, name: str, encoding: str) -> None:
    mistake = refused_bytes('{"a": "é"}'.encode(encoding), tmp_path, name)
    assert (mistake.code, mistake.line) == ("not-utf-8", 1)
    assert "UTF-16" in mistake.message or "UTF-32" in mistake.message
    assert "byte" in mistake.message


def test_a_binary_file_is_said_with_its_byte(tmp_path: Path) -> None:
    mistake = refused_bytes(b"\x7fELF\x02\x01\x01\x00\x00\x00", tmp_path)
    assert place(mistake) == ("binary-file", 1, 8)
    assert "byte 7" in mistake.message


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_byte_that_is_not_utf_8_is_said_with_its_place(tmp_path: Path, mark: bytes) -> None:
    mistake = refused_bytes(mark + "é: ü\nb: é".encode() + b"\xff", tmp_path)
    assert place(mistake) == ("not-utf-8", 2, 5)
    assert f"byte {len(mark) + 12} (0xff)" in mistake.message


@pytest.mark.parametrize("bad", [b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe9"])
def test_bytes_that_only_resemble_utf_8_are_refused(tmp_path: Path, bad: bytes) -> None:
    assert place(refused_bytes(b"a: " + bad, tmp_path)) == ("not-utf-8", 1, 4)


# the codes


def test_every_code_is_explained_and_shown_broken_by_a_test() -> None:
    tests = "\n".join(path.read_text(encoding="utf-8") for path in TESTS.glob("*.py"))
    for code, reason in TEXT_MISTAKES.items():
        assert f'"{code}"' in tests, code
        assert len(reason.split()) > 5


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside this clone")
def test_the_original_suites_are_read_with_the_places_of_their_cases() -> None:
    for path in sorted(CORPUS.glob("portos-*.json")):
        document = read_document(path, path.name)
        for index, case in enumerate(document.data["cases"]):
            line, column = document.place(("cases", index, "id"))
            assert document.excerpt(line)[column - 1 :].startswith(f'"{case["id"]}"')


def test_yaml_is_imported_only_when_yaml_is_read() -> None:
    script = (
        "import sys; from evalkit.text import parse_document\n"
        "parse_document(b'{\"a\": 1}', 'x', format='json')\n"
        "assert 'yaml' not in sys.modules\n"
        "parse_document(b'a: 1', 'x', format='yaml')\n"
        "assert 'yaml' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_yaml_and_json_readings_of_one_text_agree() -> None:
    text = b'{"a": [1, {"b": null}], "c": {"d": "x", "e": true}}'
    in_yaml = parse_document(text, "x", format="yaml")
    in_json = parse_document(text, "x", format="json")
    for path in ((), ("a",), ("a", 0), ("a", 1), ("a", 1, "b"), ("c", "e"), ("c", "z"), ("a", 9)):
        for key in (False, True):
            assert in_yaml.place(path, key=key) == in_json.place(path, key=key)
    assert in_yaml.data == in_json.data
