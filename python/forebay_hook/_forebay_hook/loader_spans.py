"""torch.utils.data: waits for a batch, epochs, and the fetching of a batch inside a worker process."""
import sys
import time
from collections import deque

from _forebay_hook import recorder as kinds
from _forebay_hook.rewrite import NO_RESULT


def watch_loaders(torch, state, facts, each):
    data = torch.utils.data
    module = data.dataloader
    _watch_waits(torch, module, state, facts, each)
    _watch_epochs(module, state, facts, each)
    _watch_workers(data, state, each)


def _watch_waits(torch, module, state, facts, each):
    now = state.now
    iterator = module._BaseDataLoaderIter

    def index_taken(self, result):
        """The sampler gave the indices of a batch: how many, and in which order the batches will come."""
        if result is not NO_RESULT:
            is_batch = self._auto_collation and type(result) in (list, tuple)
            sizes = self.__dict__.get("_forebay_sizes")
            if sizes is None:
                sizes = self._forebay_sizes = deque()
            sizes.append(len(result) if is_batch else -1)

    def ended(start, self, result):
        if result is NO_RESULT:
            error = sys.exc_info()[1]
            if isinstance(error, StopIteration):
                state.span(kinds.DATA_WAIT, start, 0, _loader_number(self))
                facts.epoch_ended(self)
                return
            state.error_passed(error)
            state.span(kinds.DATA_WAIT, start, -1, _loader_number(self))
            return
        count = -1
        sizes = self.__dict__.get("_forebay_sizes")
        if sizes:
            count = sizes.popleft()
            if self._dataset_kind != 0:  # an iterable dataset may have given fewer than it was asked for
                count = _leading_size(torch, result, count)
        state.span(kinds.DATA_WAIT, start, count, _loader_number(self))
        facts.batch_came(self, count)

    def safely(function):
        def call(*args):
            try:
                function(*args)
            except Exception:
                state.off()
        return call

    each("data_wait", iterator.__next__, "_forebay_now()", "_forebay_wait_end(_fb_start, self, _fb_result)",
         {"_forebay_now": now, "_forebay_wait_end": safely(ended)})
    each("batch_size", iterator._next_index, "None", "_forebay_index_taken(self, _fb_result)",
         {"_forebay_index_taken": safely(index_taken)})


def _loader_number(iterator):
    return iterator.__dict__.get("_forebay_loader", kinds.NOT_KNOWN)


def _leading_size(torch, batch, limit):
    """Samples in a collated batch of an iterable dataset, -1 if that cannot be told. Calls none of the user's code."""
    for _ in range(4):
        kind = type(batch)
        if kind is torch.Tensor:
            size = batch.shape[0] if batch.dim() else -1
            return size if size <= limit else -1
        if kind is dict and batch:
            batch = next(iter(batch.values()))
        elif kind in (list, tuple) and batch:
            batch = batch[0]
        else:
            return -1
    return -1


def _watch_epochs(module, state, facts, each):
    now = state.now

    def begin(loader):
        try:
            kept = loader.__dict__.get("_iterator")  # persistent workers: the same iterator begins anew
            if kept is not None and "_forebay_sizes" in kept.__dict__:
                kept._forebay_sizes.clear()
        except Exception:
            state.off()
        return now()

    def end(start, loader, result):
        if result is NO_RESULT:
            state.error_passed(sys.exc_info()[1])
        try:
            state.span(kinds.EPOCH_BEGIN, start, loader.num_workers, facts.loader_number(loader))
            if result is not NO_RESULT:
                result._forebay_loader = facts.loader_number(loader)
                facts.epoch_began(loader, result)
        except Exception:
            state.off()

    each("epoch_begin", module.DataLoader.__iter__, "_forebay_epoch_begin(self)",
         "_forebay_epoch_end(_fb_start, self, _fb_result)",
         {"_forebay_epoch_begin": begin, "_forebay_epoch_end": end})


def _watch_workers(data, state, each):
    now = state.now
    worker = data._utils.worker
    cpu = time.process_time

    def begin():
        if state.ring is not None:
            state.tell_parent()
        return now(), cpu()

    def end(start, result):
        error = sys.exc_info()[1] if result is NO_RESULT else None
        if isinstance(error, StopIteration):
            return
        state.error_passed(error)
        try:
            state.span(kinds.WORKER_FETCH, start[0], worker._worker_info.id, cpu() - start[1])
        except Exception:
            state.off()

    names = {"_forebay_worker": worker, "_forebay_fetch_begin": begin, "_forebay_fetch_end": end}
    for fetcher in (data._utils.fetch._MapDatasetFetcher, data._utils.fetch._IterableDatasetFetcher):
        each("worker_fetch", fetcher.fetch, "_forebay_fetch_begin()", "_forebay_fetch_end(_fb_start, _fb_result)",
             names, skip="_forebay_worker._worker_info is None")
