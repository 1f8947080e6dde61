"""Processes of our own that answer large requests, so that a deadline can end them.

`link` carries `messages` between two processes, and `pool` starts, feeds and replaces workers. `delegation` has one answer in time.
`models` lets a worker ask the language models of its parent. What runs in a worker is `service.worker`."""
