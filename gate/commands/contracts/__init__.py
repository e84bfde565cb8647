"""The actions of `gate contract`, one module each, made like a command: `HELP`, `arguments(parser)`, `run(args)`."""
