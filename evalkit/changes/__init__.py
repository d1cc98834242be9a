"""What changed between two manifests, or two reports, and whether a client that worked still works."""

from __future__ import annotations

from evalkit.changes._manifests import between_manifests as between_manifests
from evalkit.changes._nouns import LEVELS as LEVELS
from evalkit.changes._nouns import Change as Change
from evalkit.changes._reports import between_reports as between_reports
