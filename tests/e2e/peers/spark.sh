#!/usr/bin/env bash
# Fetches Apache Spark with Delta Lake, the peer of the end-to-end tests, and says where it is.
#
#   spark.sh setup     fetch what is missing into $WEIR_PEERS, then print the lines of `env`
#   spark.sh env       print KEY=VALUE lines; exit 1 when `setup` was not run yet
#
# WEIR_PEERS is the cache folder (default ~/.cache/weir-peers); a second caller waits for the first. SPARK_VER and
# DELTA_VER choose the versions. Needs Python 3.9 or newer with venv, Java 17 or 21, and mvn for `setup`; pip and
# mvn are used as this machine configures them. Nothing is started here: peers/spark.py does that.
set -euo pipefail

SPARK_VER=${SPARK_VER:-4.0.0}
DELTA_VER=${DELTA_VER:-4.0.0}
WEIR_PEERS=${WEIR_PEERS:-$HOME/.cache/weir-peers}
HERE=$WEIR_PEERS/spark-$SPARK_VER-delta-$DELTA_VER
COPY_GOAL=org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies

# The two jars that turn pyspark into a Delta engine. They come without their dependencies: pyspark ships those,
# and a walk through Spark's own POM would ask repositories that need not be reachable.
write_pom() {
  local jar
  echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
  echo '<groupId>weir.peers</groupId><artifactId>spark</artifactId><version>1</version><packaging>pom</packaging>'
  echo '<dependencies>'
  for jar in delta-spark_2.13 delta-storage; do
    echo "<dependency><groupId>io.delta</groupId><artifactId>$jar</artifactId><version>$DELTA_VER</version>"
    echo '<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency>'
  done
  echo '</dependencies></project>'
}

fetch() {
  local tool
  for tool in python3 java mvn; do
    command -v "$tool" >/dev/null || { echo "spark.sh: $tool not found" >&2; exit 1; }
  done
  [ -x "$HERE/venv/bin/pip" ] || python3 -m venv "$HERE/venv"
  "$HERE/venv/bin/pip" install -q --disable-pip-version-check "pyspark==$SPARK_VER"
  mkdir -p "$HERE/jars"
  write_pom >"$HERE/jars/pom.xml"
  mvn -q -B -f "$HERE/jars/pom.xml" "$COPY_GOAL" -DoutputDirectory="$HERE/jars" -DincludeScope=runtime
  touch "$HERE/ready"
}

print_env() {
  echo "SPARK_PYTHON=$HERE/venv/bin/python"
  echo "SPARK_JARS=$HERE/jars"
  echo "SPARK_VERSION=$SPARK_VER"
  echo "DELTA_VERSION=$DELTA_VER"
}

case ${1:-} in
  setup)
    mkdir -p "$HERE"
    exec 9>"$WEIR_PEERS/lock"
    flock 9
    [ -e "$HERE/ready" ] || fetch >&2
    print_env ;;
  env)
    [ -e "$HERE/ready" ] || { echo "spark.sh: Spark $SPARK_VER is not in $WEIR_PEERS, run: $0 setup" >&2; exit 1; }
    print_env ;;
  *) sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
esac
