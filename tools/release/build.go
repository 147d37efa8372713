package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build compiles upflab for an architecture: static, without paths of this machine and
// without symbols, so that the bytes depend on the sources and on Go's version only.
func build(o options, arch, binary string, v version) error {
	stamp := "-s -w -buildid= -X github.com/upflab/upflab/internal/cli/tool.released=" + v.name +
		" -X github.com/upflab/upflab/internal/cli/tool.releasedCommit=" + v.commit
	return run(o, []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + arch},
		"go", "build", "-trimpath", "-buildvcs=false", "-ldflags", stamp, "-o", binary, "./cmd/upflab")
}

// goVersion is the Go that compiles the sources, such as "go1.26.0".
func (o options) goVersion() (string, error) {
	c := exec.Command("go", "env", "GOVERSION")
	c.Dir, c.Env = o.source, o.environment()
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("ask go for its version: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// manpages writes the manual pages, and gives their folder.
func manpages(o options, work string, v version) (string, error) {
	dir := filepath.Join(work, "man")
	epoch := fmt.Sprintf("SOURCE_DATE_EPOCH=%d", v.date.Unix())
	// As the programs are compiled, so that their packages need not be compiled again.
	return dir, run(o, []string{epoch, "CGO_ENABLED=0"}, "go", "run", "-trimpath", "-buildvcs=false", "./internal/cli/manpages", dir)
}

// completion is what a shell reads to complete upflab's commands, by a program that runs here.
func completion(host, shell string) ([]byte, error) {
	c := exec.Command(host, "completion", shell)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("write the completion of %s: %w", shell, err)
	}
	return out, nil
}

func run(o options, env []string, args ...string) error {
	c := exec.Command(args[0], args[1:]...)
	c.Dir, c.Env = o.source, append(o.environment(), env...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}
