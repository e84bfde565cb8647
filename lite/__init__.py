"""The lab with nothing to install: a static JupyterLite site, made by `make lite`, served by any web server.

`parts` fetches what the site is made of, `wheel` packs the kit with its data, `lock` says what the browser's Python
loads, `site` puts it together, `serve` shows it; `tests/lite` drives it in a real browser. What lies in `browser/` runs
only there.

Not here: anything of the gate. Nothing in `gate` imports this folder.
"""
