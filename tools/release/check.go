package main

import (
	"errors"
	"fmt"
	"path/filepath"
)

// check looks at a finished release as somebody who downloads it does: at its files alone.
// The error has a line for each thing that is wrong.
func check(dir string, arches []string, v version) error {
	if err := checkSums(dir); err != nil {
		return err
	}
	var wrong []error
	binaries := map[string][]byte{}
	for _, arch := range arches {
		binary, err := checkArch(dir, arch, v)
		binaries[arch] = binary
		wrong = append(wrong, err)
	}
	wrong = append(wrong, about(v.imageName(), checkImage(filepath.Join(dir, v.imageName()), binaries, v)))
	wrong = append(wrong, about(v.provenanceName(), checkProvenance(dir, v)))
	return errors.Join(wrong...)
}

// checkArch checks the files of an architecture, and gives the program that is in them.
func checkArch(dir, arch string, v version) (binary []byte, err error) {
	archive, deb, bill := v.archiveName(arch), v.debName(arch), v.billName(arch)
	unpacked, err := readArchive(filepath.Join(dir, archive))
	if err != nil {
		return nil, about(archive, err)
	}
	binary = unpacked.program()
	installed, control, err := readDebian(filepath.Join(dir, deb))
	if err != nil {
		return binary, about(deb, err)
	}
	return binary, errors.Join(
		about(archive, checkContent(unpacked)), about(archive, checkProgram(binary, arch, v)),
		about(deb, checkContent(installed)), about(deb, checkControl(control, arch, v)), about(deb, sameContent(installed, unpacked)),
		about(bill, checkBill(filepath.Join(dir, bill), binary, v)))
}

// about names the file that an error is about.
func about(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
