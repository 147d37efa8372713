package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// version is what is released.
type version struct {
	name   string // as Go has it: "v0.3.1", "v0.3.2-0.20261122093000-7f8cbb0aa4c1"
	commit string
	date   time.Time // the commit's, UTC: the time of every file
}

// describe asks git. A commit without a tag gets the version that Go gives it, and
// sources with changes that are in no commit get "+dirty".
func describe(source string) (version, error) {
	commit, err := git(source, "log", "-1", "--format=%H %ct")
	if err != nil {
		return version{}, fmt.Errorf("a release is made from a git clone: %w", err)
	}
	hash, seconds, _ := strings.Cut(commit, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return version{}, fmt.Errorf("the time of commit %s: %w", hash, err)
	}
	v := version{commit: hash, date: time.Unix(at, 0).UTC()}
	tag, err := git(source, "describe", "--tags", "--long", "--match", "v[0-9]*.[0-9]*.[0-9]*")
	if err != nil {
		tag = "v0.0.0-1-g" + hash // no tag yet
	}
	if v.name, err = after(tag, v); err != nil {
		return version{}, err
	}
	changes, err := git(source, "status", "--porcelain", "--untracked-files=no")
	if changes != "" {
		v.name += "+dirty"
	}
	return v, err
}

// tagged is what `git describe --long` prints: the tag, the commits since, the commit.
var tagged = regexp.MustCompile(`^(v\d+\.\d+)\.(\d+)-(\d+)-g[0-9a-f]+$`)

// after is the version of a commit, by Go's rule for those after a tag.
func after(tag string, v version) (string, error) {
	m := tagged.FindStringSubmatch(tag)
	if m == nil {
		return "", fmt.Errorf("the tag %s is no version: tags are as v1.2.3", tag)
	}
	if m[3] == "0" {
		return m[1] + "." + m[2], nil
	}
	stamp := v.date.Format("20060102150405") + "-" + v.commit[:12]
	if m[1]+"."+m[2] == "v0.0.0" {
		return "v0.0.0-" + stamp, nil
	}
	patch, err := strconv.Atoi(m[2])
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s.%d-0.%s", m[1], patch+1, stamp), nil
}

// plain is the version in the names of files: without the v.
func (v version) plain() string { return strings.TrimPrefix(v.name, "v") }

// debian is the version as dpkg orders it: what comes before a release is less than it.
func (v version) debian() string {
	upstream, before, is := strings.Cut(v.plain(), "-")
	if !is {
		return upstream
	}
	return upstream + "~" + strings.ReplaceAll(before, "-", ".")
}

// dirty reports whether what is built is in no commit.
func (v version) dirty() bool { return strings.HasSuffix(v.name, "+dirty") }

// The names of a release's files.
func (v version) archiveName(arch string) string {
	return "upflab-" + v.plain() + "-linux-" + arch + ".tar.gz"
}
func (v version) debName(arch string) string { return "upflab_" + v.debian() + "_" + arch + ".deb" }
func (v version) billName(arch string) string {
	return "upflab-" + v.plain() + "-linux-" + arch + ".cdx.json"
}
func (v version) imageName() string { return "upflab-" + v.plain() + "-oci.tar" }

// tag is the version as a tag of an image, which may have no plus.
func (v version) tag() string { return strings.ReplaceAll(v.plain(), "+", "-") }

func git(dir string, args ...string) (string, error) {
	c := exec.Command("git", args...)
	c.Dir = dir
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
