"""recollect beside other engines: the same documents, questions and machine, one run.

``python -m bench.peers`` writes the tables of ``docs/peers.md``, which also says how it is meant.
Each engine has an environment of its own (pinned in ``requirements/``), runs in a process of its
own and is set up as its users are told to set it up (``adapters/``, one small file each).
"""
