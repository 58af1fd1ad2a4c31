//! Docker, podman and compose. Without `-H`, `--context`, `--config` and other compose files, and
//! without `run` and `exec`, which run any program. `compose config` would show secrets.

use super::prelude::*;

const fn list(name: &'static str) -> OptionTable {
    reader_of_words(name, "aqslt", "fn")
        .separate()
        .long(
            "all quiet no-trunc size latest digests tree services status orphans no-orphans \
               no-stream human verbose",
        )
        .long_valued("filter format last")
}

const LOGS: OptionTable = reader_of_words("docker logs", "tf", "n")
    .long("timestamps details follow no-color no-log-prefix")
    .long_valued("tail since until");

const fn change(name: &'static str) -> OptionTable {
    changer(name, "fvqad", "t")
        .separate()
        .long("force volumes quiet all no-deps detach remove-orphans")
        .long_valued("time timeout signal")
        .no_head()
}

/// Runs what the compose file of the workspace names.
const fn compose(name: &'static str) -> OptionTable {
    changer(name, "dqv", "t")
        .separate()
        .long(
            "detach build no-build no-deps force-recreate remove-orphans wait quiet pull no-cache \
               quiet-pull always-recreate-deps no-start renew-anon-volumes",
        )
        .long_valued("timeout scale pull wait-timeout progress")
        .operands(Names)
        .effect(ProgramEffect::Runs)
        .no_head()
}

const BUILD: OptionTable = runner("docker build", "q", "tf")
    .separate()
    .long("no-cache pull quiet rm force-rm load")
    .long_valued("tag file target progress platform build-arg label")
    .path_values("f file")
    .operands(Folder)
    .contacts(Contacts::Configured)
    .no_head();

pub(super) const CONTAINERS: &[OptionTable] = &[
    list("docker ps").operands(None),
    list("docker images"),
    LOGS,
    list("docker inspect").long("size"),
    list("docker top").operands(AtMost(1)),
    list("docker stats").long("all no-stream no-trunc"),
    list("docker port"),
    list("docker diff"),
    list("docker version").operands(None),
    list("docker info").operands(None),
    list("docker history"),
    list("docker network ls").operands(None),
    list("docker network inspect"),
    list("docker volume ls").operands(None),
    list("docker volume inspect"),
    list("docker system df").operands(None),
    list("docker context ls").operands(None),
    list("docker image ls"),
    list("docker container ls").operands(None),
    list("docker compose ps"),
    list("docker compose images"),
    list("docker compose top"),
    list("docker compose ls").operands(None),
    list("docker compose version").operands(None),
    LOGS.with_name("docker compose logs"),
    list("docker-compose ps"),
    LOGS.with_name("docker-compose logs"),
    list("podman ps").operands(None),
    list("podman images"),
    LOGS.with_name("podman logs"),
    list("podman version").operands(None),
    change("docker start"),
    change("docker stop"),
    change("docker restart"),
    change("docker kill"),
    change("docker rm"),
    change("docker rmi"),
    change("docker volume rm"),
    change("docker network rm"),
    change("docker network create"),
    change("docker tag"),
    change("docker pull").contacts(Contacts::Configured),
    change("docker push").contacts(Contacts::Configured),
    change("podman stop"),
    change("podman rm"),
    BUILD,
    BUILD.with_name("docker buildx build"),
    BUILD.with_name("podman build"),
    compose("docker compose up"),
    compose("docker compose down").long("remove-orphans volumes"),
    compose("docker compose build"),
    compose("docker compose restart"),
    compose("docker compose start"),
    compose("docker compose stop"),
    compose("docker compose pull").contacts(Contacts::Configured),
    compose("docker-compose up"),
    compose("docker-compose down"),
    compose("docker-compose build"),
];
