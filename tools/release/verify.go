package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// verify checks a release in a folder, makes it again from a clone of the commit, at
// another path and with an empty build cache, and compares the two byte for byte.
func verify(dir string, o options, w io.Writer) error {
	v, err := describe(o.source)
	if err != nil {
		return err
	}
	if v.dirty() {
		return errors.New("there are changes that are in no commit: nobody can make that release again")
	}
	if err := check(dir, o.arches, v); err != nil {
		return err
	}
	if o.public != "" {
		if err := checkSignature(dir, o.public, v); err != nil {
			return err
		}
		fmt.Fprintf(w, "%s is signed by the key %s\n", dir, o.public)
	} else {
		fmt.Fprintln(w, "no public key was given: who made the release was not verified")
	}
	fmt.Fprintf(w, "%s is release %s of %s; it is made again\n", dir, v.name, strings.Join(o.arches, " and "))
	work, err := os.MkdirTemp("", "upflab-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	again := options{source: filepath.Join(work, "sources"), out: filepath.Join(work, "dist"),
		cache: filepath.Join(work, "cache"), arches: o.arches}
	if _, err := git(o.source, "clone", "--quiet", "--shared", ".", again.source); err != nil {
		return err
	}
	if _, err := git(again.source, "checkout", "--quiet", "--detach", v.commit); err != nil {
		return err
	}
	if err := release(again, w); err != nil {
		return fmt.Errorf("make it again: %w", err)
	}
	if err := same(dir, again.out); err != nil {
		return err
	}
	fmt.Fprintln(w, "the same bytes")
	return nil
}

// same reports the files of a release that are not the same in another.
func same(dir, other string) error {
	names, err := os.ReadDir(other)
	if err != nil {
		return err
	}
	var wrong []error
	for _, name := range names {
		wrong = append(wrong, sameFile(dir, other, name.Name()))
	}
	return errors.Join(wrong...)
}

func sameFile(dir, other, name string) error {
	a, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := os.Open(filepath.Join(other, name))
	if err != nil {
		return err
	}
	defer b.Close()
	at, err := difference(bufio.NewReader(a), bufio.NewReader(b))
	if err == nil && at >= 0 {
		err = fmt.Errorf("%s is not reproducible: made again it differs from byte %d on", name, at)
	}
	return err
}

// difference is the place of the first byte that differs; -1: none does.
func difference(a, b io.ByteReader) (at int64, err error) {
	for ; ; at++ {
		x, errA := a.ReadByte()
		y, errB := b.ReadByte()
		if errors.Is(errA, io.EOF) && errors.Is(errB, io.EOF) {
			return -1, nil
		}
		if err := errors.Join(errA, errB); err != nil && !errors.Is(err, io.EOF) {
			return at, err
		}
		if x != y || errA != nil || errB != nil {
			return at, nil
		}
	}
}
