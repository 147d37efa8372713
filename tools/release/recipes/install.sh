#!/bin/sh
# Install a release of upflab without a package manager:
#
#   curl -fsSL https://github.com/upflab/upflab/releases/latest/download/install.sh | sudo sh
#
# The checksums come with the archive: they show damage, not another release in its place. PREFIX is where to (/usr/local). FROM is another folder of a release than that of the newest, an address or file://.
# It needs tar, gzip, sha256sum, and curl or wget.
set -eu

main() {
	prefix=${PREFIX:-/usr/local}
	from=${FROM:-https://github.com/upflab/upflab/releases/latest/download}
	case $(uname -s)-$(uname -m) in
	Linux-x86_64) arch=amd64 ;;
	Linux-aarch64) arch=arm64 ;;
	*) fail "there is no release for $(uname -s) on $(uname -m), only for Linux on x86_64 and aarch64" ;;
	esac
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	get SHA256SUMS
	line=$(grep -- "-linux-$arch\.tar\.gz\$" "$work/SHA256SUMS") || fail "SHA256SUMS of $from names no archive for $arch"
	archive=${line##* }
	get "$archive"
	(cd "$work" && echo "$line" | sha256sum -c - >/dev/null 2>&1) || fail "$archive has another checksum than SHA256SUMS names: nothing is installed"
	tar -xzf "$work/$archive" -C "$work"
	place "$work/${archive%.tar.gz}"
	echo "$("$prefix/bin/upflab" version | head -n 1) is in $prefix/bin"
}

# get FILE downloads a file of the release.
get() {
	if command -v curl >/dev/null; then
		curl -fsSL --proto '=https,http,file' --proto-redir '=https' "$from/$1" -o "$work/$1" || fail "cannot get $from/$1"
	else
		wget -qO "$work/$1" "$from/$1" || fail "cannot get $from/$1"
	fi
}

# place FOLDER: the program may be running, so it is replaced and not overwritten. The services name its place.
place() {
	mkdir -p "$prefix/bin" "$prefix/lib/systemd/system"
	install -m 755 "$1/upflab" "$prefix/bin/.upflab.new" && mv "$prefix/bin/.upflab.new" "$prefix/bin/upflab" || fail "cannot write to $prefix: call this as root, or give PREFIX"
	cp -R "$1/share" "$prefix/"
	for unit in "$1"/lib/systemd/system/*.service; do
		sed "s|/usr/bin/upflab|$prefix/bin/upflab|" "$unit" >"$prefix/lib/systemd/system/${unit##*/}"
	done
}

fail() {
	echo "install upflab: $1" >&2
	exit 1
}

main # read whole before it begins, in a pipe too
