"""The cryptography of the cards: a group, an oracle, ElGamal, three kinds of proof, and identities.

Knows no game. No clock, no socket, no file; randomness is handed in as a function `randomness(n) -> n bytes`.
Everything that is wrong with bytes or a proof is a `CryptoError`.
"""
