// Upflab is a laboratory for 5G user planes.
package main

import (
	"os"

	"github.com/upflab/upflab/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
