// Command docsite makes the documentation's web site from docs/: one folder that any web
// server, or a browser from the disk, shows, with a search and nothing from outside.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	source := flag.String("source", ".", "`folder` of upflab's sources")
	out := flag.String("out", "", "`folder` to write to; default: dist/site in the sources")
	flag.Parse()
	if *out == "" {
		*out = filepath.Join(*source, "dist", "site")
	}
	n, err := build(*source, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "docsite:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages in %s: open %s\n", n, *out, filepath.Join(*out, "index.html"))
}
