// Command release makes what is published of upflab: static binaries in archives, Debian
// packages, an OCI image, a bill of materials and checksums. It needs Go and git, no
// daemon and no root. The same commit gives the same bytes.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	var o options
	flag.StringVar(&o.source, "source", "..", "`folder` of upflab's sources")
	flag.StringVar(&o.out, "out", "", "`folder` to write to; default: dist in the sources")
	arches := flag.String("arch", "amd64,arm64", "`architectures` by Go's names")
	made := flag.String("verify", "", "check the release in this `folder`, make it again and compare, instead of writing one")
	flag.StringVar(&o.sign, "sign", "", "sign the checksums with this secret `key` of minisign's; $MINISIGN_PASSWORD is its password")
	flag.StringVar(&o.public, "key", "", "with -verify: the public `key` of minisign's that has to have signed")
	flag.Usage = usage
	flag.Parse()
	if flag.NArg() > 0 {
		usage()
		os.Exit(2)
	}
	o.arches = strings.Split(*arches, ",")
	if err := do(o, *made); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func do(o options, made string) error {
	if made != "" {
		return verify(made, o, os.Stdout)
	}
	if o.out == "" {
		o.out = filepath.Join(o.source, "dist")
	}
	return release(o, os.Stdout)
}

func usage() {
	fmt.Fprintln(flag.CommandLine.Output(), "release makes archives, Debian packages, an OCI image, an SBOM and checksums of upflab.")
	flag.PrintDefaults()
}
