"""The default engine: one SQLite database as the record, text and vector indexes beside it.

    STORE/record.db          the record: everything, durable when a call returns
    STORE/text-N/            tantivy index, generation N
    STORE/vectors/MODEL/     flat memory-mapped segments of one embedding model
    STORE/*.lock             who may write what; the locks die with their process

Every change takes the next number of one sequence. A passage's key is the number of the change
that wrote it, and never changes its content: an edited document gets new passages. Each index
is stamped with the last number it has seen, so "what is new" is always a range scan, several
processes need no daemon to agree, and an index that is missing, torn or behind is a matter of
reading that range again.
"""
