"""A model at the other end: the one that `MODEL_BASE_URL` names, a small one on this machine, or what it once said.

    prompts ─▶ choice: remote, local or recorded ─▶ ask ─▶ record ─▶ score
                          │                  └─ replay (a double)
                          └─ place, install, server ─ child (a process of its own)

Nothing here decides anything: what a model says goes through the gates like everything else.
"""
