"""The web view: the explorer in a browser, on textual-serve (DESIGN 9 and 10; threat model in SECURITY.md).

`guard`, `wire`, `crashes` and `seats` know no web library; `server` and `child` sit on textual-serve, which
comes with the extra `serve`; `driver` runs inside the served app.
"""
