package history

import (
	"context"
	"maps"
)

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
	x.updating.Lock()
	defer x.updating.Unlock()
	files, problems, err := scan(x.dir)
	if err != nil {
		return Updated{}, err
	}
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
	if err == nil {
		u.Gone = x.forget(here)
	}
	if u.Read+u.Gone > 0 {
		x.mu.Lock()
		x.changes++
		x.mu.Unlock()
		x.save()
	}
	return u, err
}

// forget leaves out the runs that are not here any more, and gives how many.
func (x *Index) forget(here map[string]bool) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	before := len(x.kept)
	maps.DeleteFunc(x.kept, func(path string, _ entry) bool { return !here[path] })
	return before - len(x.kept)
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
