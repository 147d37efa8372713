package main

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"slices"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// checkBill: a bill of materials is of the version, and lists the modules that are in the
// program, no more and no fewer.
func checkBill(name string, binary []byte, v version) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var b cdx.BOM
	if err := cdx.NewBOMDecoder(f, cdx.BOMFileFormatJSON).Decode(&b); err != nil {
		return err
	}
	if b.BOMFormat != cdx.BOMFormat || b.Metadata == nil || b.Metadata.Component == nil || b.Components == nil {
		return errors.New("it is no bill of materials of CycloneDX")
	}
	if got := b.Metadata.Component.Version; got != v.name {
		return fmt.Errorf("it is of version %s, wanted %s", got, v.name)
	}
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return err
	}
	if listed := urls(*b.Components); !slices.Equal(listed, urls(modules(info))) {
		return fmt.Errorf("it lists %d modules, which are not the %d in the program", len(listed), len(modules(info)))
	}
	return nil
}

func urls(list []cdx.Component) (names []string) {
	for _, c := range list {
		names = append(names, c.PackageURL)
	}
	slices.Sort(names)
	return names
}
