# Run in the notebook's namespace when a kernel starts (PYTHONSTARTUP), so it leaves no name there.
get_ipython().Completer.use_jedi = False  # noqa: F821 - the kernel turns it on, and it is not there
