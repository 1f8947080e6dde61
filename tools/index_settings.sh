# Prints NAME=VALUE lines, NUL-terminated: the variables by which this machine reaches its package indexes,
# and nothing else of what was set by hand. Sourced by what starts from a bare environment.
index_settings() {
    local name
    for name in $(compgen -e); do
        case $name in
            PIP_* | SSL_CERT_* | REQUESTS_CA_BUNDLE | CURL_CA_BUNDLE | *_proxy | *_PROXY | NPM_CONFIG_* | npm_config_* | NODE_EXTRA_CA_CERTS)
                printf '%s=%s\0' "$name" "${!name}" ;;
        esac
    done
}
