"""The manifest for KubeRay against its schema, the image's versions, and the Slurm script with stand-ins for Slurm."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

CLUSTER = Path(__file__).parents[1]
CRD = "https://raw.githubusercontent.com/ray-project/kuberay/v1.7.0/ray-operator/config/crd/bases/ray.io_rayjobs.yaml"
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """The schema of RayJob, from KIFUWARABE_KUBERAY_CRD or from KubeRay's repository."""
    named = os.environ.get("KIFUWARABE_KUBERAY_CRD")
    try:
        text = Path(named).read_bytes() if named else urllib.request.urlopen(CRD, timeout=10).read()
    except OSError as error:
        pytest.skip(f"SKIPPED: KubeRay's schema cannot be fetched: {error}")
    versions = yaml.load(text, Loader=Loader)["spec"]["versions"]
    (found,) = (version["schema"]["openAPIV3Schema"] for version in versions if version["name"] == "v1")
    strict: dict[str, Any] = closed(found)
    return strict


def closed(schema: Any) -> Any:
    """The schema with unknown fields refused, which Kubernetes drops in silence."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and not schema.get("x-kubernetes-preserve-unknown-fields"):
        made.setdefault("additionalProperties", False)
    return made


def manifest() -> dict[str, Any]:
    read: dict[str, Any] = yaml.load((CLUSTER / "kubernetes/rayjob.yaml").read_text(), Loader=Loader)
    # every object has these; the schema requires only that metadata is an object
    read["metadata"] = {}
    return read


def test_the_manifest_fits_kuberays_schema(schema: dict[str, Any]) -> None:
    jsonschema.validate(manifest(), schema)


def test_the_schema_refuses_mistakes(schema: dict[str, Any]) -> None:
    mistyped, wrong = manifest(), manifest()
    mistyped["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["replica"] = 1
    wrong["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["replicas"] = "one"
    for made in (mistyped, wrong):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(made, schema)


def test_versions_are_those_of_the_package() -> None:
    project = tomllib.loads((CLUSTER / "pyproject.toml").read_text())["project"]
    pinned = dict(re.split("==", requirement) for requirement in project["dependencies"])
    ray, fsspec = pinned["ray[default]"], pinned["fsspec"]
    dockerfile = (CLUSTER / "kubernetes/Dockerfile").read_text()
    assert f"rayproject/ray:{ray}-py311" in dockerfile and f"s3fs=={fsspec}" in dockerfile
    spec = manifest()["spec"]["rayClusterSpec"]
    assert spec["rayVersion"] == ray
    pods = [spec["headGroupSpec"], *spec["workerGroupSpecs"]]
    images = {container["image"] for pod in pods for container in pod["template"]["spec"]["containers"]}
    assert images == {f"REGISTRY/kifuwarabe-cluster:{project['version']}"}


def test_licences_go_with_the_package_and_the_image() -> None:
    assert (CLUSTER / "LICENSE").read_bytes() == (CLUSTER.parent / "LICENSE").read_bytes()
    dockerfile = (CLUSTER / "kubernetes/Dockerfile").read_text()
    release = (CLUSTER.parent / ".ci/release").read_text()
    for name in ("LICENSE.txt", "THIRD-PARTY.txt", "RUST-STANDARD-LIBRARY.html"):
        assert f"target/image/{name}" in dockerfile and f"$out/{name}" in release


@pytest.mark.slow
def test_the_slurm_script_reviews(engine: str, records: Path, tmp_path: Path) -> None:
    """`srun` and `scontrol` stand for a job of one node; Ray and the review are real."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, script in (("srun", 'exec "$@"'), ("scontrol", "echo 127.0.0.1")):
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    environment = os.environ | {
        "PATH": f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "SLURM_JOB_NODELIST": "node1",
        "SLURM_JOB_NUM_NODES": "1",
        "SLURM_CPUS_PER_TASK": "2",
        "RAY_PORT": "6391",
    }
    script = [str(CLUSTER / "slurm/review.sbatch"), str(records / "club"), str(tmp_path / "out")]
    options = ["--engine", engine, "--visits", "5", "--set", "Net.Use=false", "--quiet"]
    done = subprocess.run(
        [*script, *options], env=environment, capture_output=True, text=True, timeout=200, check=False
    )
    if "Ray is already started on this node" in done.stderr:
        pytest.skip("SKIPPED: Ray runs on this machine already")
    assert "6 records in" in done.stdout, done.stdout + done.stderr
    assert len(list((tmp_path / "out").glob("review/run=*/*.parquet"))) == 1
