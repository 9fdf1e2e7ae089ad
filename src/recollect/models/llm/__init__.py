"""Language models behind one port, by a small client of our own.

client.py       what is asked of a model: retries, structured answers, the meter
provider.py     one request over HTTP, in one of the dialects
openai.py anthropic.py ollama.py    the dialects: requests and answers as data, no I/O
connection.py   one POST that can be given up at any time
schema.py       the part of JSON Schema that is understood
keys.py         where keys come from, and what keeps them from being seen
addresses.py    which provider a name means
"""
