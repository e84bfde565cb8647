"""The shapes people have, to the kit's words and back: OpenAI, Anthropic, MCP. One module each.

Nothing is judged here, and nothing mended: model text travels on as `raw`, to be read once by the front door. A reply
without any known shape raises `GateError`. An object of a provider's library is taken too, through its `model_dump`.
"""
