"""The supplier check: no model, no network, no state.

In: what the user wrote, turn by turn. Out: what the agent does next. It says
the same as `examples/due-diligence`, so that one driver can talk with both.
"""

import dataclasses
import re

CLAUSES = re.compile(r"[，,。;；\n]")
LABELS = ("region", "registered region", "地区", "注册地区")
ENDINGS = {
    "reject": "reject", "拒绝": "reject",
    "fail": "fail", "失败": "fail",
    "slow": "slow", "慢速": "slow",
}  # fmt: skip
QUESTIONS = {
    ("supplier", False): "Which supplier shall I check? For example: Check Star River Tech",
    ("supplier", True): "请说明要尽调的供应商，例如：请尽调星河科技",
    ("region", False): "Which region is the supplier registered in? For example: region: China",
    ("region", True): "请补充供应商注册地区，例如：地区：中国",
}


@dataclasses.dataclass(frozen=True)
class Ask:
    """Something is missing."""

    question: str


@dataclasses.dataclass(frozen=True)
class End:
    """The user named an ending: `reject`, `fail`, or `slow` (until canceled)."""

    ending: str


@dataclasses.dataclass(frozen=True)
class Report:
    """Everything is known."""

    supplier: str
    region: str
    chinese: bool

    @property
    def text(self) -> str:
        if self.chinese:
            return f"供应商：{self.supplier}\n注册地区：{self.region}\n教学结论：未发现高风险项"
        return (
            f"Supplier: {self.supplier}\nRegistered region: {self.region}\n"
            "Teaching conclusion: no high-risk items found"
        )

    @property
    def progress(self) -> str:
        return "正在核对供应商信息" if self.chinese else "Checking the supplier's records"

    @property
    def done(self) -> str:
        return "供应商尽调已完成" if self.chinese else "The supplier check is done"


def next_step(turns: list[str]) -> Ask | End | Report:
    lines = [line for turn in turns for line in turn.splitlines()]
    for line in lines:
        if ending := ENDINGS.get(line.strip().lower()):
            return End(ending)
    chinese = any("\u4e00" <= char <= "\u9fff" for line in lines for char in line)
    suppliers = [name for name in map(find_supplier, lines) if name]
    regions = [name for name in map(find_region, lines) if name]
    if not suppliers:
        return Ask(QUESTIONS["supplier", chinese])
    if not regions:
        return Ask(QUESTIONS["region", chinese])
    return Report(suppliers[0], regions[-1], chinese)


def find_supplier(line: str) -> str | None:
    """The name after `Check` or `尽调`, up to the end of its clause."""
    found = re.search(r"尽调(.*)", line) or re.match(
        r"\s*(?:please\s+)?check\s+(.*)", line, re.IGNORECASE
    )
    return found and CLAUSES.split(found[1])[0].strip(" .")


def find_region(line: str) -> str | None:
    """The value after `region:` or `地区：`, wherever it stands in the line."""
    for clause in CLAUSES.split(line):
        label, colon, value = clause.replace("：", ":").partition(":")
        if colon and label.strip().lower() in LABELS:
            return value.strip(" .")
    return None
