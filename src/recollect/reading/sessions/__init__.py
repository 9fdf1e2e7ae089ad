"""Recall of past conversations: one call, its shape inferred from what is asked.

=====================  ===========  ==============================================================
asked with             shape        what comes back
=====================  ===========  ==============================================================
a query                discovery    the conversations about it, the first one with a window around
                                    the message that was found, and with how it began and ended
a session and messages scroll       the messages around each of these
a session              read         how it begins and how it ends
nothing                browse       the recent conversations, a line each
=====================  ===========  ==============================================================

``visibility`` says what may be seen, for all of them alike.
"""
