"""Maven offline: programs and plugins from Debian's packages, Jackson out of openapi-generator's jar."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as Xml

from tools.toolchains import MAVEN_REPOSITORY as DEBIAN
from tools.toolchains import ROOT, generator_jar, maven, run

CLIENT = ROOT / "clients" / "java"
NAMES = "{http://maven.apache.org/POM/4.0.0}"
JACKSON = {
    ("core", "jackson-annotations", "annotation"): (),
    ("core", "jackson-core", "core"): (),
    ("core", "jackson-databind", "databind"): ("core:jackson-annotations", "core:jackson-core"),
    ("datatype", "jackson-datatype-jsr310", "datatype/jsr310"): ("core:jackson-databind",),
}
"""Part of the group, artifact, folder of the classes; and what each depends on. Debian packages an older Jackson, and
none of its java.time module."""
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>
<dependencies>{dependencies}</dependencies></project>
"""
DEPENDENCY = "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version></dependency>"
SETTINGS = """<settings><localRepository>{folder}/local</localRepository>
<mirrors><mirror><id>debian</id><mirrorOf>central</mirrorOf><url>file://{debian}</url></mirror></mirrors>
<profiles><profile><id>jackson</id><repositories><repository><id>jackson</id><url>file://{folder}/jackson</url></repository>
</repositories></profile></profiles><activeProfiles><activeProfile>jackson</activeProfile></activeProfiles></settings>
"""


def repository(folder: Path) -> Path:
    """Write a repository of Jackson below `folder`. Returns Maven's settings, by which it reads that one and Debian's alone."""
    remote = folder / "jackson"
    version = _jackson_version()
    with zipfile.ZipFile(generator_jar()) as jar:
        for (part, artifact, classes), needed in JACKSON.items():
            group = f"com.fasterxml.jackson.{part}"
            place = remote / group.replace(".", "/") / artifact / version
            place.mkdir(parents=True)
            dependencies = "".join(
                DEPENDENCY.format(
                    group=f"com.fasterxml.jackson.{one.partition(':')[0]}",
                    artifact=one.partition(":")[2],
                    version=version,
                )
                for one in needed
            )
            text = POM.format(group=group, artifact=artifact, version=version, dependencies=dependencies)
            (place / f"{artifact}-{version}.pom").write_text(text)
            with zipfile.ZipFile(place / f"{artifact}-{version}.jar", "w") as packed:
                for name in jar.namelist():
                    if name.startswith(f"com/fasterxml/jackson/{classes}/") and name.endswith(".class"):
                        packed.writestr(name, jar.read(name))
    settings = folder / "settings.xml"
    settings.write_text(SETTINGS.format(folder=folder, debian=DEBIAN))
    return settings


def run_maven(settings: Path, project: Path, goals: Sequence[str]) -> None:
    """Run Maven in `project`. Raises RuntimeError with what it says where it fails."""
    command: list[str | Path] = [maven(), "--batch-mode", "--quiet", "--settings", settings, *goals]
    run(command, project, {"MAVEN_OPTS": "-XX:TieredStopAtLevel=1"})


def _jackson_version() -> str:
    text = Xml.parse(CLIENT / "pom.xml").getroot().findtext(f"{NAMES}properties/{NAMES}jackson.version")
    assert text is not None
    return text
