"""Draws a record as one self-contained SVG: a row for each cell, a dot for each contestant, time relative to the fastest peer
on a logarithmic axis, ours with its confidence interval."""

from __future__ import annotations

import html
import math
import statistics

import common

LEFT, WIDTH, ROW, LOW, HIGH = 190, 560, 16, 0.1, 20.0
STYLE = (
    "text{font:11px system-ui,sans-serif;fill:#222}.h{font-weight:600;font-size:13px}.g{stroke:#ddd}.one{stroke:#888}"
    ".p{fill:#9aa5b1}.r{fill:none;stroke:#9aa5b1}.win{fill:#0a7d38}.lose{fill:#c2410c}.ci{stroke:#444;stroke-width:2;opacity:.5}"
    "@media(prefers-color-scheme:dark){svg{background:#111}text{fill:#ddd}.g{stroke:#333}.win{fill:#4ade80}.lose{fill:#fb923c}}"
)


def x_of(ratio: float) -> float:
    r = min(max(ratio, LOW), HIGH)
    return LEFT + WIDTH * (math.log(r) - math.log(LOW)) / (math.log(HIGH) - math.log(LOW))


def svg(cells: list[dict], title: str) -> str:
    out: list[str] = []
    y = 44.0
    groups: dict[tuple[str, str], list[dict]] = {}
    for c in cells:
        if common.fastest(c):
            groups.setdefault((c["runtime"], c["op"]), []).append(c)
    for (runtime, op), group in groups.items():
        y += 14
        out.append(f'<text class="h" x="8" y="{y:.0f}">{html.escape(runtime)} · {html.escape(op)}</text>')
        y += 8
        top = y
        for c in group:
            y += ROW
            out.append(f'<text x="{LEFT - 10}" y="{y + 4:.0f}" text-anchor="end">{html.escape(c["payload"])}</text>')
            best = common.fastest(c)
            base = statistics.median(c["rounds"][best])
            for name, samples in c["rounds"].items():
                if common.is_ours(c, name):
                    continue
                r = statistics.median(samples) / base
                tip = f"<title>{html.escape(name)}: {common.nanoseconds(statistics.median(samples))}, {r:.2f}</title>"
                out.append(f'<circle class="{"r" if name.startswith("~") else "p"}" cx="{x_of(r):.1f}" cy="{y:.0f}" r="3.5">{tip}</circle>')
            if c["ours"] in c["rounds"]:
                r = statistics.median(c["rounds"][c["ours"]]) / base
                low, high = common.interval(common.bootstrap(c, c["ours"], best, 200))
                out.append(f'<line class="ci" x1="{x_of(low):.1f}" x2="{x_of(high):.1f}" y1="{y:.0f}" y2="{y:.0f}"/>')
                tip = f"<title>{c['ours']}: {r:.2f} ({low:.2f}–{high:.2f}) of {html.escape(best)}</title>"
                out.append(f'<circle class="{"win" if r <= 1 else "lose"}" cx="{x_of(r):.1f}" cy="{y:.0f}" r="5">{tip}</circle>')
        grid = []
        for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20):
            grid.append(f'<line class="{"one" if tick == 1 else "g"}" x1="{x_of(tick):.1f}" x2="{x_of(tick):.1f}" y1="{top:.0f}" y2="{y + 8:.0f}"/>')
            grid.append(f'<text x="{x_of(tick):.1f}" y="{y + 20:.0f}" text-anchor="middle">{tick:g}</text>')
        out += grid
        y += 34
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 30} {y:.0f}" width="{LEFT + WIDTH + 30}"><style>{STYLE}</style>'
        f'<text class="h" x="8" y="20">{html.escape(title)}: time relative to the fastest peer of each row</text>'
        '<text x="8" y="36">large dot: samewire (green where it is the fastest); grey: peers; ring: another format or another task</text>'
    )
    return head + "\n".join(out) + "</svg>\n"
