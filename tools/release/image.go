package main

import (
	"archive/tar"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// platform is what the image has for one architecture.
type platform struct {
	arch  string
	files []file
}

// image makes an OCI image of all architectures, from nothing: the static program and
// its licence. It is a tar file of the OCI layout, which `podman load` and
// `docker load` read and registries take.
func image(out string, platforms []platform, v version) (string, error) {
	index := v1.ImageIndex(mutate.IndexMediaType(empty.Index, types.OCIImageIndex))
	for _, p := range platforms {
		img, err := one(p, v)
		if err != nil {
			return "", err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: p.arch}}})
	}
	work, err := os.MkdirTemp("", "upflab-oci-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	l, err := layout.Write(work, empty.Index)
	if err != nil {
		return "", err
	}
	named := layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": "upflab:" + v.tag()})
	if err := l.AppendIndex(index, named); err != nil {
		return "", err
	}
	name := v.imageName()
	return name, pack(work, filepath.Join(out, name), v)
}

// one is the image of one architecture.
func one(p platform, v version) (v1.Image, error) {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	for _, x := range p.files {
		if x.path != program && x.path != licencePath {
			continue
		}
		if err := add(t, strings.TrimPrefix(x.path, "/"), x, v); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if img, err = mutate.AppendLayers(img, layer); err != nil {
		return nil, err
	}
	return mutate.ConfigFile(img, configuration(p.arch, layer, v))
}

// configuration starts the program with what follows the image's name; without anything it shows the results in
// the folder that is mounted at /work.
func configuration(arch string, layer v1.Layer, v version) *v1.ConfigFile {
	diff, err := layer.DiffID()
	if err != nil { // the bytes are in memory
		panic(err)
	}
	return &v1.ConfigFile{
		OS: "linux", Architecture: arch, Created: v1.Time{Time: v.date},
		RootFS: v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{diff}},
		Config: v1.Config{
			Entrypoint: []string{program}, Cmd: []string{"serve"}, Env: []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}, WorkingDir: "/work",
			Labels: map[string]string{
				"org.opencontainers.image.title": "upflab", "org.opencontainers.image.version": v.name,
				"org.opencontainers.image.revision": v.commit, "org.opencontainers.image.licenses": "Apache-2.0",
				"org.opencontainers.image.source": "https://github.com/upflab/upflab",
			},
		},
	}
}

// pack makes a tar file of a folder, in the order of names.
func pack(dir, path string, v version) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	t := tar.NewWriter(f)
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		return add(t, name, file{mode: 0o644, body: body}, v)
	})
	if err != nil {
		return err
	}
	if err := t.Close(); err != nil {
		return err
	}
	return f.Close()
}
