# Made from spec/openapi.json by `python scripts/generate.py`. Do not edit.
