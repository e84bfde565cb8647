# Two commands: `make lab` opens the lab, `make test` runs the tests. What they do: bootstrap.py.
# PYTHON=python3.12 names another Python; ARGS="-k memory" is handed on.

ifndef PYTHON
PYTHON := $(shell for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$name" && break; done; true)
endif
ifeq ($(PYTHON),)
PYTHON := $(shell command -v python3 || command -v python)
endif
ifeq ($(PYTHON),)
$(error There is no Python here. Next: install Python 3.11 or newer from python.org or your package manager, and run it again)
endif

COMMANDS := lab test hard setup notebooks bench lite
.PHONY: help $(COMMANDS)

help:
	@"$(PYTHON)" bootstrap.py

$(COMMANDS):
	@"$(PYTHON)" bootstrap.py $@ $(ARGS)
