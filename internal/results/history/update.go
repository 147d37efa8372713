package history

import "context"

// Updated is what an update did.
type Updated struct {
	Read, Gone int
	// Problems are folders that could not be looked into.
	Problems []string
}

// Update brings the index to what the folders hold: results that are new or changed are
// read, those that are gone are forgotten. Two programs may do that at once. What was read
// before the context ended is kept.
func (x *Index) Update(ctx context.Context) (u Updated, err error) {
	files, problems, err := scan(x.dir)
	if err != nil {
		return Updated{}, err
	}
	x.updating.Lock()
	defer x.updating.Unlock()
	u.Problems = problems
	here := map[string]bool{}
	for _, f := range files {
		here[f.path] = true
		if x.has(f) {
			continue
		}
		if err = ctx.Err(); err != nil {
			break
		}
		x.keep(newEntry(f, read(x.dir, f))) // others use the index meanwhile
		u.Read++
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for path := range x.kept {
		if !here[path] && err == nil {
			delete(x.kept, path)
			u.Gone++
		}
	}
	if u.Read+u.Gone > 0 || x.note != "" {
		x.save()
	}
	if u.Read+u.Gone > 0 {
		x.changes++
	}
	return u, err
}

// has reports whether the index has a file as it is.
func (x *Index) has(f file) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.kept[f.path].file() == f
}

func (x *Index) keep(e entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.kept[e.Path] = e
}
