"""PostgreSQL with pgvector: for teams, and for more than one machine holds.

The record, the postings of the text index and the vectors are tables of one schema. Everything
belongs to an owner, whose number is the first column of every key: that is what the tables are
partitioned by, what row-level security looks at, and what a distributed table is spread by.

    address.py      the URL, and what of it is ours
    connection.py   the pool; retries; a commit whose answer was lost
    schema.py       the tables, as numbered migrations
    partitions.py   whether all of their partitions are attached
    shards.py       several servers as one store
    replica.py      a hot standby that searches are sent to
    health.py       the servers of an address, one by one
    writer.py       one transaction of changes
    record.py       reading documents, passages, sessions, history
    postings.py     what a segment of the text index looks like
    text_index.py   bringing the text index up to date
    text.py         BM25 over its postings, and over what it has not seen yet
    vectors.py      one table a model; exact or by graph

Keys are numbers of one sequence, with the owner's number in their low bits, so that a key says
whose it is. A writer holds its owner's row of ``state`` from before it takes numbers until it
commits: of one owner what has a higher number was committed later. The text index is told by
that what it has not seen, as in the embedded engine.
"""
