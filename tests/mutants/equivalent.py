"""Checks that can be broken without any change in what the package does, each with the reason."""

EQUIVALENT: dict[str, str] = {
    "match/ballots.py Decree.certificate: self.majority(voters)": (
        "Decree.vote keeps no vote that leaves no majority, so those that it is not about are one; it is written twice "
        "because the definition of a certificate says so"
    ),
    "replay/reading.py _read_certificate: match.number == record.step": (
        "if the ballots have closed nothing, the last step of the record has other ballots, which the next check finds"
    ),
}
