package pages

// chunk is how many entries of an Own lie together.
const chunk = 1 << 12

// Own is a table of this process alone, by number from 1 on. Its entries never move. It is not for several goroutines.
type Own[T any] struct {
	chunks []*[chunk]T
	last   uint32
	free   []uint32
}

// At is the entry of a number that was given.
func (o *Own[T]) At(number uint32) *T { return &o.chunks[number/chunk][number%chunk] }

// Take gives a number that is free; its entry still has what was in it.
func (o *Own[T]) Take() uint32 {
	if n := len(o.free); n > 0 {
		number := o.free[n-1]
		o.free = o.free[:n-1]
		return number
	}
	o.last++
	if int(o.last/chunk) == len(o.chunks) {
		o.chunks = append(o.chunks, &[chunk]T{})
	}
	return o.last
}

// Give takes a number back.
func (o *Own[T]) Give(number uint32) { o.free = append(o.free, number) }

// Used is how many numbers are given.
func (o *Own[T]) Used() int { return int(o.last) - len(o.free) }
