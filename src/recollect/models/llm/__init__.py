"""Language models behind one port, by a small client of our own.

client.py       what is asked of a model: retries, structured answers, the meter
provider.py     one request over HTTP, in one of the dialects; or to a callable
openai.py anthropic.py    the dialects: requests and answers as data, no I/O
dialect.py      what the dialects share: usage, errors, server-sent events
connection.py   one POST that can be given up at any time
timeouts.py     how long is waited for what
schema.py       the part of JSON Schema that is understood
local.py        llama.cpp in a process of its own
servers.py      servers that run on this machine
keys.py         where keys come from, and what keeps them from being seen
"""
