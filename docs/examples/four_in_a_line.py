"""Print every position of a replay in which one chip completes a sequence: four_in_a_line.py FILE."""

import sys

import seqp2p

replay = seqp2p.read(sys.argv[1])
for moment in replay.moments:
    if moment.position is None:  # Before the deal.
        continue
    seen = seqp2p.view(moment.position, 0)  # As a spectator sees it.
    lines = [(threat.team, threat.line) for threat in seqp2p.threats(seen) if len(threat.missing) == 1]
    for team, line in lines:
        squares = " ".join(seqp2p.format_square(seen.variant, square) for square in line)
        print(f"turn {moment.turn}: team {team} lacks one chip on {squares}")
    if lines:
        print("  ", seqp2p.format_position(moment.position))
print(replay.report.verdict, replay.report.reason or "")
