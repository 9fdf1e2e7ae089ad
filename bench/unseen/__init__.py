"""What a reader gets on text that nothing was fitted on: ``python -m bench.unseen``.

Every set is of a domain. The light parts of the read path are fitted on the sets that may be
fitted, without the domain that is read, for each domain in turn, and read beside plain fusion of
the same arms in the same run. Sets that are read-only are in no fit, ever.
"""
