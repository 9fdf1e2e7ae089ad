"""From text to lasting knowledge: the slots of a curation that only decide, as pure functions.

``recon.survey`` → ``chunk.pieces`` → ``extract`` → ``dedup.dedup`` → ``group.group``. None of
them does any I/O, keeps any state or reads a clock, and each takes time in proportion to the text.
"""
