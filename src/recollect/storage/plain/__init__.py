"""The dict engine: the executable specification of a store, and the model that tests compare
every other engine with. Nothing is derived, nothing is on disk; a lock makes each call atomic.
"""
