"""The cryptography of the cards: a group, an oracle, ElGamal, three kinds of proof, and identities.

It knows no game, clock, socket or file. Callers pass in randomness as a function `randomness(n) -> n bytes`. Every
fault of bytes or of a proof is a `CryptoError`.
"""
