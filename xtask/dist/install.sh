#!/bin/sh
# Installs Countersign for one user. Needs no root.
#
#   ./install.sh               installs to ~/.local, or to $PREFIX
#   ./install.sh --uninstall   removes exactly what was installed there

set -eu

# Not share/countersign: in ~/.local that is where the daemon keeps its record.
doc=share/doc/countersign

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

# Makes a folder of the prefix, and notes each level that was not there.
make_folder() {
    if [ ! -d "$prefix/$1" ]; then
        case $1 in */*) make_folder "${1%/*}" ;; esac
        mkdir "$prefix/$1"
        echo "$1/" >>"$new_list"
    fi
}

# Replaces the file in one step: a daemon that runs keeps the program that it was started from.
install_file() {
    make_folder "${2%/*}"
    cp "$1" "$prefix/$2.new"
    mv -f "$prefix/$2.new" "$prefix/$2"
    echo "$2" >>"$new_list"
}

# Removes the files of a list, then its folders if they are empty, the deepest first.
remove_listed() {
    if grep -q -e '^/' -e '^\.\./' -e '/\.\./' "$1"; then
        fail "$1 names a file outside of $prefix; nothing was removed"
    fi
    grep -v '/$' "$1" | while IFS= read -r path; do
        rm -f "$prefix/$path"
    done
    sed -n 's|/$||p' "$1" | sort -r | while IFS= read -r path; do
        rmdir "$prefix/$path" 2>/dev/null || true
    done
}

install_all() {
    cd "$(dirname "$0")"
    [ -f bin/countersign ] || fail "there is no bin/countersign here; unpack the whole archive"
    mkdir -p "$prefix"
    : >"$new_list"
    make_folder "$doc"
    find bin share -type f | sort >"$scratch/files"
    while IFS= read -r file; do
        install_file "$file" "$file"
    done <"$scratch/files"
    for file in README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT THIRD-PARTY-LICENCES install.sh; do
        install_file "$file" "$doc/$file"
    done
    echo "$doc/installed" >>"$new_list"
    if [ -f "$list" ]; then
        # Folders of an earlier version stay ours; its files that are gone are removed.
        grep '/$' "$list" >>"$new_list" || true
        grep -v -x -F -f "$new_list" "$list" >"$scratch/files" || true
        remove_listed "$scratch/files"
    fi
    sort -u "$new_list" >"$list"
    report
}

report() {
    echo "installed $("$prefix/bin/countersign" --version):"
    echo "  program       $prefix/bin/countersign"
    echo "  manual pages  $prefix/share/man/man1"
    echo "  completions   $prefix/share/bash-completion/completions"
    echo "                $prefix/share/fish/vendor_completions.d"
    echo "                $prefix/share/zsh/site-functions (add it to fpath before compinit)"
    echo "to remove it: PREFIX='$prefix' sh '$prefix/$doc/install.sh' --uninstall"
    case ":${PATH:-}:" in
        *":$prefix/bin:"*) ;;
        *)
            echo "warning: $prefix/bin is not in PATH; add this line to your shell's profile:" >&2
            echo "  export PATH=\"$prefix/bin:\$PATH\"" >&2
            ;;
    esac
}

uninstall() {
    [ -f "$list" ] || fail "nothing is installed in $prefix: there is no $list"
    cp "$list" "$new_list"
    remove_listed "$new_list"
    echo "removed $(grep -c -v '/$' "$new_list") files from $prefix; settings, graphs and the record stay"
}

prefix=${PREFIX:-${HOME:?set HOME, or PREFIX}/.local}
case $prefix in
    /*) ;;
    *) prefix=$(pwd)/$prefix ;;
esac
prefix=${prefix%/}
list=$prefix/$doc/installed
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
new_list=$scratch/list

case $# in
    0) install_all ;;
    1)
        case $1 in
            --uninstall) uninstall ;;
            -h | --help) sed -n '2,5s/^# \{0,1\}//p' "$0" ;;
            *) fail "\`$1\` is no option; see --help" ;;
        esac
        ;;
    *) fail "too many options; see --help" ;;
esac
