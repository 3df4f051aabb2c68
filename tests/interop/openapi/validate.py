"""Validates OpenAPI documents, and that the validator refuses broken ones.

Comes in: paths of documents. Goes out: a line for each, and an exit code.
"""

import copy
import json
import sys

from openapi_spec_validator import OpenAPIV31SpecValidator


def faults(document):
    return [error.message for error in OpenAPIV31SpecValidator(document).iter_errors()]


def main(paths):
    assert paths, "name a document"
    for path in paths:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        found = faults(document)
        if found:
            sys.exit(f"{path}: {found[:5]}")
        operations = sum(len(item) for item in document["paths"].values())
        print(f"{path.rsplit('/', 1)[-1]}: valid, {len(document['paths'])} paths, {operations} operations")

    # A validator that takes everything would prove nothing.
    broken = copy.deepcopy(document)
    next(iter(next(iter(broken["paths"].values())).values())).pop("responses")
    broken["info"].pop("version")
    assert faults(broken), "a broken document was taken for a valid one"


if __name__ == "__main__":
    main(sys.argv[1:])
