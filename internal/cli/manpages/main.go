// Command manpages writes upflab's manual pages, one a command, into a folder. It is
// a program of its own so that upflab does not carry the generator.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/upflab/upflab/internal/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "manpages: give the folder to write to; SOURCE_DATE_EPOCH is the pages' date")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "manpages:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	date, err := epoch(os.Getenv("SOURCE_DATE_EPOCH"))
	if err != nil {
		return err
	}
	root := cli.Command()
	untag(root)
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "upflab", Manual: "upflab", Date: &date}, dir)
}

// epoch is the time of SOURCE_DATE_EPOCH, seconds since 1970, in UTC; now without it.
func epoch(text string) (time.Time, error) {
	if text == "" {
		return time.Now().UTC(), nil
	}
	s, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(s, 0).UTC(), nil
}

// untag leaves out the line that says when a page was generated.
func untag(c *cobra.Command) {
	c.DisableAutoGenTag = true
	for _, sub := range c.Commands() {
		untag(sub)
	}
}
