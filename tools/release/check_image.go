package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// checkImage: the image's digests are right, and for each architecture it has that one's
// program, and nothing else.
func checkImage(name string, binaries map[string][]byte, v version) error {
	dir, err := os.MkdirTemp("", "upflab-oci-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := unpack(name, dir); err != nil {
		return err
	}
	index, err := platforms(dir)
	if err != nil {
		return err
	}
	if err := validate.Index(index); err != nil {
		return err
	}
	list, err := index.IndexManifest()
	if err != nil {
		return err
	}
	if len(list.Manifests) != len(binaries) {
		return fmt.Errorf("it has %d architectures, wanted %d", len(list.Manifests), len(binaries))
	}
	var wrong []error
	for _, m := range list.Manifests {
		img, err := index.Image(m.Digest)
		if err == nil {
			err = checkPlatform(img, binaries, v)
		}
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}

// platforms is the index of an image's architectures, the only thing in the layout.
func platforms(dir string) (v1.ImageIndex, error) {
	outer, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, err
	}
	m, err := outer.IndexManifest()
	if err != nil {
		return nil, err
	}
	if len(m.Manifests) != 1 {
		return nil, fmt.Errorf("it has %d images, wanted one", len(m.Manifests))
	}
	return outer.ImageIndex(m.Manifests[0].Digest)
}

func checkPlatform(img v1.Image, binaries map[string][]byte, v version) error {
	c, err := img.ConfigFile()
	if err != nil {
		return err
	}
	if got := c.Config.Labels["org.opencontainers.image.version"]; got != v.name {
		return fmt.Errorf("%s: it is of version %s, wanted %s", c.Architecture, got, v.name)
	}
	layers := mutate.Extract(img)
	defer layers.Close()
	files, err := readTar(layers, func(member string) (string, error) { return unpacked("/" + member), nil })
	if err != nil {
		return err
	}
	if binary := binaries[c.Architecture]; len(binary) == 0 || !bytes.Equal(files.program(), binary) {
		return fmt.Errorf("%s: its program is not the archive's", c.Architecture)
	}
	if len(files[unpacked(licencePath)]) == 0 {
		return fmt.Errorf("%s: it has no licence", c.Architecture)
	}
	return nil
}

// unpack writes the files of a tar file below a folder.
func unpack(name, dir string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for t := tar.NewReader(f); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(h.Name) || h.Typeflag != tar.TypeReg {
			return fmt.Errorf("%s is no file below its folder", h.Name)
		}
		body, err := io.ReadAll(t)
		if err == nil {
			_, err = write(dir, filepath.FromSlash(h.Name), body, 0o644)
		}
		if err != nil {
			return err
		}
	}
}
