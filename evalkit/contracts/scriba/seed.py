"""Turns a fixture into fresh database files, and a configuration to read them with (spec 9, 12.1)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from .nouns import Json, Paths, Profiles
from .seeding.cache_file import write_cache
from .seeding.canaries import canary
from .seeding.store_file import write_store
from .seeding.vices import VICES

CONFIG_FILE: Final = "config.json"

_LEGACY: Final = (0, 1)


def seed(fixture: Json, folder: Path) -> Paths:
    """Write what the fixture (fixture.schema.json) holds into the folder, which is made if it is not there.

    What the fixture does not name is not made: no cache, no store, no `config.json`. Files have the mode
    0600 and folders 0700. Raises FileExistsError where there is something already.
    """
    folder = folder.absolute()
    paths = Paths(str(folder / "cache"), str(folder / "state" / "server.sqlite"))
    config = folder / CONFIG_FILE
    for place in (Path(paths.cache_dir), Path(paths.state_path).parent, config):
        if place.exists():
            raise FileExistsError(f"{place}: it is there already: name another folder")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _make(fixture.get("cache"), write_cache, Path(paths.cache_dir) / "scriba.sqlite")
    _make(fixture.get("store"), write_store, Path(paths.state_path))
    if fixture.get("config") is not None:
        config.touch(mode=0o600)
        config.write_text(json.dumps(_completed(fixture["config"], paths), indent=2) + "\n", encoding="utf-8")
    return paths


def profiles_of(fixture: Json) -> Profiles:
    """What the fixture's `config` says of profiles; without one, or with a legacy one, the one `default`."""
    config = fixture.get("config")
    if config is None or config.get("schemaVersion") in _LEGACY:
        return Profiles()
    enabled = tuple(one["id"] for one in config.get("profiles", []) if one.get("enabled", True))
    return Profiles(enabled, config.get("defaultProfileId", ""))


def _make(content: Json, write: Callable[[Json, Path], None], file: Path) -> None:
    if content is None:
        return
    file.parent.mkdir(mode=0o700)
    write(content, file)
    file.chmod(0o600)
    if "vice" in content:
        VICES[content["vice"]](file)


def _completed(config: Json, paths: Paths) -> Json:
    """The configuration with all that a reader of it needs; a legacy one knows no profiles."""
    whole = {"schemaVersion": 2, "cacheDir": paths.cache_dir, **config}
    whole["server"] = {"statePath": paths.state_path, **config.get("server", {})}
    if "profiles" in config:
        whole["profiles"] = [_completed_profile(one) for one in config["profiles"]]
    return whole


def _completed_profile(profile: Json) -> Json:
    auth = f"/home/{canary('AUTH_PATH')}/{profile['id']}/auth.json"
    return {"enabled": True, "label": canary("CONFIG_LABEL"), "codexAuthPaths": [auth], **profile}
