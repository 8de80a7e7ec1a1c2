/**
 * What the engine must do, one testable sentence an id: section of the engine specification, running number. A test that proves a
 * sentence cites its id in brackets at the end of its name, a benchmark line in its `cites`; requirements.test.ts refuses an id that
 * nobody cites and a citation that is not here. Ids are never reused: a sentence that no longer holds goes with its id.
 */
export const requirements: Readonly<Record<string, string>> = {
  // Conversations
  '2-1': 'A model is given entries only: tasks and state are no part of the context by themselves.',

  // Entries and their kinds
  '2.1-1': 'Entries append: no write changes, moves or renumbers one that is there.',
  '2.1-2': 'Entry ids increase in transcript order and need not be consecutive.',
  '2.1-3':
    'An entry keeps its conversation, kind and content, and where given its indexed key, head mark and the task that wrote it.',
  '2.1-4': 'Storage keeps the name of a kind and never runs its code.',
  '2.1-5':
    'A kind with a projection gives the messages of its entries; one without is in the transcript and never in the context.',
  '2.1-6': 'An entry of a kind with `head` is marked as a head, any other is not; where its context begins is asked of the kind.',
  '2.1-7': 'A head that names itself retains nothing earlier.',
  '2.1-8': 'A head that would begin the context before where the previous visible head begins it is rejected.',
  '2.1-9': 'Head order counts inherited heads as far as they are visible, and earlier heads of the same commit.',
  '2.1-10':
    'Older heads are controls: the newest one replaces them, and none of them is in the context even where it is in range.',
  '2.1-11': 'An edit omits or replaces what an earlier visible entry projects; the entry itself stays as it is.',
  '2.1-12': 'Edits fold in transcript order, and the newest applicable one of a target wins.',
  '2.1-13': 'An edit whose target is outside the selected range changes nothing.',
  '2.1-14': 'An edit that is retained applies again whenever the context is derived.',
  '2.1-15': 'A kind of the host can be a head or an edit and is treated as the built-in ones are.',
  '2.1-16': 'The kinds user, assistant, tool_result, system, notice, summary, handoff and reset are registered by opening.',
  '2.1-17': 'Every built-in entry kind projects, except reset.',
  '2.1-18':
    'A system entry projects at its place and from what is stored on it alone: sections in stored order, whole tool definitions.',
  '2.1-19': 'A typed read of an entry of another kind is a read of a missing one; batched typed reads leave it out.',
  '2.1-20': 'An untyped read returns the entry whatever its kind, and `kind.is` narrows it.',
  '2.1-21': 'Content is trusted: any JSON is stored as it was given and read back equal.',
  '2.1-22': 'Opening rejects a session that ever had an entry of a kind that is not registered, before anything runs.',
  '2.1-23':
    'The kinds ever written are kept one record a kind, from the commit that first uses it, and known at open without a scan.',
  '2.1-24': 'What was sent is the newest baseline of the context with the deltas behind it; deltas before it count for nothing.',
  '2.1-25':
    'A delta has the sections and whole tool definitions that changed; a changed schema or order of sections is a change.',

  // Context is derived
  '2.2-1': 'Without a head the context begins with the transcript; with one, at the entry that its kind names.',
  '2.2-2': 'The context covers the fork-aware transcript through its target, inclusive, and nothing after it.',
  '2.2-3': 'The newest head comes first, then the eligible entries of the range in transcript order.',
  '2.2-4': 'An omitted target is not in the context; a replaced one keeps its id and place and has the replacement messages.',
  '2.2-5': 'An edit entry does not project unless its kind has a projection too.',
  '2.2-6': 'An entry whose kind neither controls nor projects contributes nothing.',
  '2.2-7':
    'Normalisation puts results with their calls in call order and supplies missing ones, for one request; nothing of it is stored.',
  '2.2-8': 'An assistant entry that ended in an error or was aborted reaches no model, nor does what answers it.',
  '2.2-9': 'No context is stored: a session opened again derives the same one.',
  '2.2-10': 'A warm handle derives what was appended since it was last asked, and reads only that.',
  '2.2-11': 'A warm context equals a cold one after heads and edits.',
  '2.2-12': 'A position older than the warm context is derived separately and does not rewind it.',
  '2.2-13': 'A derived context is a snapshot: later commits do not change it.',
  '2.2-14': 'A cold derivation reads the range from the newest head on, not the history before it.',
  '2.2-15': 'What answers a call behind the cutoff of a fork is not seen in the fork.',

  // Compaction and reset
  '2.3-1': 'A summary retains from the entry that it names and projects before what it retains, although it is newer.',
  '2.3-2': 'A head that retains from an entry that its conversation does not have is rejected.',
  '2.3-3': 'A summary prepared against an older context may land later; what was appended meanwhile stays in the context.',
  '2.3-4': 'A reset retains and projects nothing; a handoff retains nothing and projects its message.',
  '2.3-5': 'The transcript keeps everything that a head leaves out of the context.',
  '2.3-6': 'A reset by itself neither cancels tasks nor asks for a generation.',
  '2.3-7': 'A head that would cut an exchange in two, results from their calls, is rejected.',
  '2.3-8': 'A head that would part instructions from the exchange that they govern is rejected.',

  // Forks
  '2.4-1': 'A fork shares history by reference: inherited entries keep id and owning conversation, and nothing is copied.',
  '2.4-2': 'The context of a fork is what the context of its source was at the fork point; no later head is seen.',
  '2.4-3': 'What source or fork append, compact or reset afterwards does not reach the other.',
  '2.4-4': 'A fork inherits no tasks.',

  // History and ownership
  '2.5-1': 'A fork records its parent and position and has no owner; a child records its owner.',
  '2.5-2': 'A fork never enters the drive or the cancellation of its source.',
  '2.5-3': 'An owned conversation enters the drive and the cancellation of its owner through the task that owns it.',
  '2.5-4': 'A child starts with fresh or with inherited context, whatever state it is initialized with.',

  // Ids
  '3.1-1': 'One sequence a session numbers every write, and what a write creates has that number as its id.',
  '3.1-2': 'An id is final inside the closure that mints it, and later writes of the same commit can name it.',
  '3.1-3': 'A commit hands its ids out after its batch is durable and not before.',
  '3.1-4': 'A commit that fails consumes no ids: the next one is numbered as if it had not been.',
  '3.1-5': 'Sequence numbers are positive safe integers without gaps within a batch.',

  // Rewindable state before entries
  '3.2-1': 'A fork at an entry has the rewindable state that was committed together with the entry.',
  '3.2-2': 'A fork at an entry has no state that was committed after the entry.',
  '3.2-3': 'A rewindable conversation write after an entry of its commit is refused before persistence and consumes no ids.',
  '3.2-4': 'Session state and sticky conversation state may follow entries and name ids that their commit has minted.',
  '3.2-5': 'Tasks may stand anywhere in a commit and name its entries.',
  '3.2-6': 'A fork at the start has an empty transcript and no rewindable state.',
  '3.2-7': 'Every entry is a fork point, a call without its results and one of several results too.',

  // Failure before and after admission
  '3.3-1': 'A commit that is not valid writes nothing and the session goes on.',
  '3.3-2': 'After uncertain persistence the handle takes no commit and no watch any more.',
  '3.3-3': 'Opening again after a crash recovers the last complete batch and continues from its sequence number.',
  '3.3-4': 'No reader and no watcher sees half a commit.',
  '3.3-5': 'After uncertain persistence no task is called any more by this engine.',

  // Request keys
  '3.4-1': 'A request id is recorded as session state in the batch of what it accepted.',
  '3.4-2': 'A request id that is known returns the first acceptance and writes nothing.',
  '3.4-3': 'A request id used again for other input is rejected.',

  // Scopes
  '4.1-1': 'Session state has one current value, the same for every conversation and fork.',
  '4.1-2': 'Conversation state is rewindable or sticky by its address; the two policies of one name are two addresses.',
  '4.1-3': 'Scratch belongs to one live task and is neither rewound nor inherited.',
  '4.1-4': 'A declared conversation address names no conversation: handles and bound commits put in their own.',
  '4.1-5': 'Values are JSON, and what a reader or a writer does to its own object afterwards does not change what is stored.',
  '4.1-6':
    'An address of one scope never reaches state of another; session and scratch addresses that would rewind are rejected.',
  '4.1-7': 'An equal address made anew after a restart finds the same state.',

  // Vocabulary
  '4.2-1': 'A value is read, set and deleted; after deletion it is absent.',
  '4.2-2': 'A list appends with an element id, removes one element, clears, and is read by cursor and limit.',
  '4.2-3': 'A rewindable list reads as of an entry: the elements before a clear, none after it, then the new ones.',
  '4.2-4': 'Removing or clearing hides elements and erases nothing that an earlier fork has.',
  '4.2-5': 'Deleting a rewindable value records absence: a fork before it has the value, one after it has none.',
  '4.2-6': 'Sticky state has its current contents only.',

  // Initialization
  '4.3-1': 'Spawning creates the child, its values, its prompt and its first generation in one commit.',
  '4.3-2': 'A child has the selected current values of its parent, overrides win, and whatever was not selected is absent.',
  '4.3-3': 'Lists are not copied into a child.',
  '4.3-4': 'A fork has all rewindable history as of its position, selected sticky values, the session state, and no scratch.',
  '4.3-5': 'An inherited context is that of the parent at its last complete exchange.',

  // Capped-source lookup
  '4.4-1': 'A fork reads its own version of a value first, else that of its source capped at the fork position, level by level.',
  '4.4-2': 'A deletion in a fork makes the value absent there, whatever its source has.',
  '4.4-3': 'A list in a fork joins inherited and own elements and honours removes and clears of every level.',
  '4.4-4': 'What a lookup costs follows the depth of forks, not the history of others.',
  '4.4-5': 'A child that was initialized by copying has no parent, and lookup ends with it.',

  // Structured plugin state
  '4.5-1': 'A checkpoint value and the list of deltas behind it hydrate to the state as of any entry, in forks too.',

  // Scratch
  '4.6-1': 'A task has one scratch scope with any number of addresses, durable across a restart.',
  '4.6-2':
    'Settling removes the scratch in its own commit: a crash leaves both task and scratch, or neither live task nor scratch.',
  '4.6-3': 'A scratch commit writes the scratch of one task and nothing else.',
  '4.6-4': 'A main commit writes no scratch.',
  '4.6-5': 'Scratch that comes after the settlement of its task is rejected and recreates nothing.',
  '4.6-6': 'A new attempt of the same task can clear its scratch, and what is then read is the new attempt.',

  // The task record
  '5.1-1': 'All of a task survives reopening: status, state, dependencies, background, owned conversations, abort mark.',
  '5.1-2': 'The role of a task follows from its status at every write and cannot be written by itself.',
  '5.1-3': 'The live tasks of a scope are found by one query that decodes no state.',
  '5.1-4': 'A terminal task is never changed again.',

  // Task kinds
  '5.2-1': 'A task begins in the initial status of its kind, and a status that the kind does not have is rejected.',
  '5.2-2': 'A task of a kind that is not registered is rejected.',
  '5.2-3': 'A kind declares the values it reads, and all of them are read for a conversation in one pass.',
  '5.2-4': 'Setting a configuration writes the named values in one commit, deletes those set to undefined and leaves the others.',
  '5.2-5': 'A configuration takes declared names only.',
  '5.2-6': 'Rewindable configuration comes with a fork as it was at the fork point, sticky configuration does not.',
  '5.2-7': 'What a conversation is configured with can be listed by walking the registered kinds.',
  '5.2-8': 'Declared values of a kind can be inherited and set when a child is spawned.',
  '5.2-9': 'Every call of a task gets a signal of its own, which fires on the abort mark and on close.',
  '5.2-10': 'A commit of a task is bound to the conversation of the task.',
  '5.2-11': 'Scratch of a task is bound to the task, and readable to recover after a restart.',
  '5.2-12': 'A task mutates its preview in place, and it is flushed after each scratch commit.',
  '5.2-13': 'A preview is built once from durable scratch, on attach or reopen.',
  '5.2-14': 'Sleeping until a time resolves then, and throws an AbortError when the task is aborted or the engine closes.',
  '5.2-15': 'An execution reads the configuration of a kind for the conversation of its task.',
  '5.2-16': 'A kind reaches services of its host by closure: its context carries no models, tools or environment.',
  '5.2-17':
    'Opening rejects live tasks of a kind that is not registered; terminal tasks of a forgotten kind stay readable untyped.',
  '5.2-18': 'A typed read of a task of another kind is a read of a missing one; untyped it is returned and `kind.is` narrows it.',

  // What an execution may do
  '5.3-1': 'A crash before the inflight status is committed runs execute again from the top.',
  '5.3-2': 'An execution that returns with its task unchanged is reported and not called again.',
  '5.3-3': 'A crash after the inflight status is committed goes through recover.',
  '5.3-4': 'Executions run concurrently, and one that waits for the world holds up no other.',
  '5.3-5': 'A task that went through other statuses and returns in a start status is called again, however often it recurs.',
  '5.3-6': 'The scheduler has no timers: a task whose time is not yet there is called and sleeps by itself.',
  '5.3-7': 'An execution may create a conversation, drive it and wait for it.',

  // Dependencies
  '5.4-1': 'A task starts only when all tasks that it waits for are terminal.',
  '5.4-2': 'A dependency that failed or was aborted counts as one that is done.',
  '5.4-3': 'A dependency on a task that does not exist is rejected.',
  '5.4-4': 'A dependency on a task of another ownership tree is rejected.',
  '5.4-5': 'Dependencies are fixed at creation and name earlier tasks only, so that they form no cycle.',
  '5.4-6': 'A settling task may create a successor that waits for it in the same commit.',

  // Joining an exchange
  '5.5-1': 'A settlement publishes its entry, the tasks that follow from it and the task that joins them in one commit.',
  '5.5-2': 'Tasks that wait for one another in a row run one after the other.',
  '5.5-3': 'A join reads what it waited for by one batched typed read on the line.',
  '5.5-4': 'A crash before the settlement leaves the task to recover; after it every follower exists and nothing is repaired.',
  '5.5-5': 'A crash after the last awaited task leaves a join that is startable.',

  // Foreground and background
  '5.6-1': 'A task is foreground unless it was created in the background, and that is fixed at creation.',
  '5.6-2':
    'The foreground set has the live foreground tasks of a conversation and, through those that own conversations, theirs.',
  '5.6-3': 'Background work and what terminal or background tasks own are no part of the foreground set.',

  // Ownership
  '5.7-1': 'A task that creates a conversation lists it, and the conversation names the task, both from the creating commit.',
  '5.7-2': 'A task may own several conversations; a conversation has one owner, and a second one is rejected.',
  '5.7-3': 'No conversation owns itself, not through others either.',

  // The driver
  '6.1-1': 'A driven task is called by its role: execute when startable, recover when inflight, abort when marked.',
  '6.1-2': 'The driver calls tasks of attached scopes only: without a drive nothing runs.',
  '6.1-3':
    'A pass runs after an owned call returned and after a commit that created or patched a task; else the driver reads nothing.',
  '6.1-4': 'A drive returns when its foreground is idle, and its scope is served further: spawned and background work goes on.',
  '6.1-5': 'An AbortError of a task that was cancelled is its normal end: not reported, not counted against the task.',
  '6.1-6': 'Any other rejection is reported with task and kind, and the task is not called again in this process.',
  '6.1-7': 'A task that was given up in one process is called again by the next.',
  '6.1-8': 'Recover that returns with its task unchanged is reported and not called again.',
  '6.1-9': 'Each task call joins the one before it: effect and abort never run at once for one task.',
  '6.1-10': 'After the join the task is read anew: what settled by itself is not aborted again.',
  '6.1-11': 'A marked task that nobody runs is aborted by the next process that drives it.',
  '6.1-12': 'A drive whose remaining live foreground work is all given up rejects and names the tasks.',
  '6.1-13': 'A task that was given up can still be aborted.',

  // Scope and outcome
  '6.1-14': 'An AbortError of a task that nobody cancelled is a failure as any other.',
  '6.2-1': 'Driving a conversation serves it and every conversation owned from it, whether the owning task is live or not.',
  '6.2-2': 'Driving a conversation is done when its foreground set is empty: a child of a settled task does not keep it.',
  '6.2-3': 'Driving the session serves every conversation and is done when nothing is live, background work included.',
  '6.2-4': 'A drive that the close of the engine overtakes resolves as closed.',
  '6.2-5': 'Conversations that come to be owned while a scope is driven are served by it.',

  // Cancellation
  '6.3-1': 'Aborting a task marks that task, and rejects when it is terminal.',
  '6.3-2': 'Aborting a conversation marks its whole foreground set in one commit.',
  '6.3-3': 'That commit cancels queued steer and followUp input; write and nextRun input stays.',
  '6.3-4': 'Marks survive a restart and stay on the record when the task settles.',
  '6.3-5': 'A marked task settles with its outcome.',
  '6.3-6': 'A commit of a marked task that creates a task or a conversation fails, and its kind is reported.',
  '6.3-7': 'An execution that ignores its signal delays its own cleanup, and no second writer comes for it.',
  '6.3-8': 'An abort that leaves its task live is reported and not called again.',
  '6.3-9': 'Aborting a conversation leaves background work and detached children alone; they are aborted by their own handles.',

  // Open, close, shutdown, delete
  '6.4-1': 'Opening starts nothing and writes nothing.',
  '6.4-2': 'Live tasks can be inspected by role without being driven.',
  '6.4-3': 'Closing admits no more commits and waits for those that were admitted.',
  '6.4-4': 'Closing cancels running executions and waits for them.',
  '6.4-5': 'Closing writes no outcome: unfinished work resumes when the session is opened and driven again.',
  '6.4-6': 'Shutdown marks all live work, empties the inboxes, drives cancellation to settlement, then closes.',
  '6.4-7': 'Deleting a conversation is rejected while its ownership tree has live work.',
  '6.4-8': 'A deleted conversation takes no new work, entries, state or forks.',
  '6.4-9': 'What independent forks inherit from a deleted conversation stays readable to them.',

  // Telemetry, storage version
  '6.4-10': 'A shutdown whose commit fails leaves the session as it was.',
  '6.5-1': 'Every task call has one span with task, kind, conversation, call and outcome.',
  '6.5-2': 'Every commit has one span.',
  '6.5-3': 'Spans that an execution starts lie under the span of its call.',
  '6.5-4': 'The tracer is given by the host; without one nothing is traced, and nothing of it is stored.',
  '6.5-5': 'A session of another storage version is rejected with both versions and left as it is.',
  '6.5-6': 'A migration maps stored records step by step to the wanted version, after which the session opens.',
  '6.5-7': 'A migration without the steps it needs is rejected with both versions and changes nothing.',
  '6.5-8': 'A migration that fails leaves the session as it was.',

  // What is stored
  '6.5-9': 'A tracer or a report of the host that throws changes nothing but itself.',
  '7.1-1':
    'Conversations, entries, tasks, versions of values, lists with their clears, and scratch survive closing and reopening.',

  // Queries
  '7.2-1': 'The driver reads live tasks of its scopes and the dependencies of those in one batch, never terminal history.',
  '7.2-2': 'A transcript is read in pages after or before an id, ascending or descending.',
  '7.2-3': 'Filters apply before limits.',
  '7.2-4': 'The newest of something is read by an index with a limit of one, on a long history as on a short one.',
  '7.2-5': 'A page names where the next one begins exactly when there is one, and the sequence number it was read at.',
  '7.2-6':
    'Bounds of a transcript read are inclusive positions of the logical transcript, capped at every cutoff of its ancestors.',
  '7.2-7': 'The newest head at a position is capped at the cutoffs of all ancestors.',
  '7.2-8': 'A historical read of sticky, session or scratch state is rejected.',
  '7.2-9': 'Headers are read without content.',
  '7.2-10': 'Keys of a namespace are read in order and by pages, inherited ones with them and deleted ones not.',
  '7.2-11': 'A batched read returns what there is, once, and leaves out what there is not.',
  '7.2-12': 'Tasks are found by conversations, liveness, role, kind, abort mark and background.',
  '7.2-13': 'Conversations are found by the conversation they were forked from and by the one that owns them.',
  '7.2-14': 'Reads are synchronous: several in a row see one committed state.',
  '7.2-15': 'A cursor that goes both ways, or a limit that is no number, is rejected.',

  // Batches
  '7.3-1': 'Write i of a batch has number lastSeq + 1 + i, and a record with another id rejects the whole batch.',
  '7.3-2': 'Validation counts committed state and the earlier writes of the same batch.',
  '7.3-3': 'A write to a conversation or task that does not exist is rejected.',
  '7.3-4': 'An edit of what is not an earlier visible entry is rejected.',
  '7.3-5': 'A commit without writes writes nothing and consumes nothing.',
  '7.3-6': 'A batch that the storage fails to write is not there at all.',
  '7.3-7': 'Exchange rules hold for the kinds that declare their part in exchanges, and for no others.',
  '7.3-8': 'A result is rejected unless it answers an earlier visible call that still waits for one.',

  // Memory and JSONL
  '7.4-1': 'The file has one line a batch, which carries the number of its first write.',
  '7.4-2': 'A batch is published after all its bytes are written and not before.',
  '7.4-3': 'Opening rebuilds records and the last sequence number from complete batches.',
  '7.4-4': 'An unterminated final line is dropped, only that one, wherever it was torn, and the next commit takes its place.',
  '7.4-5': 'A malformed complete line fails the open and names file and line.',
  '7.4-6': 'A killed process loses no commit that was acknowledged; flushing to the disk itself is an option.',
  '7.4-7':
    'A large value that changes is written as operations against its previous version, and replay gives exactly the value.',
  '7.4-8': 'A first or small value, and one that operations would not give exactly, is written whole.',
  '7.4-9': 'Updating a large value grows the file by about the change.',
  '7.4-10': 'Scratch lies in one file a task, which grows by what was flushed.',
  '7.4-11':
    'A scratch file that is not yet removed is never mistaken for that of another scope, and its removal removes no other.',
  '7.4-12': 'A write that fails publishes nothing, and is taken back or leaves the session uncertain.',
  '7.4-14': 'What another writer appended is noticed before a line is written, and nothing of it is lost.',
  '7.4-15': 'What is nested too deep to be read back is refused before anything is written.',
  '7.4-13': 'The memory backend answers from indexes: a query reads no entries that it does not return.',

  // SQLite
  '7.5-1': 'A commit is one transaction with its boundary and the last sequence number.',
  '7.5-2': 'Sessions of one file do not see each other.',
  '7.5-3': 'No statement scans history: every read is served by an index.',
  '7.5-4': 'Values are stored whole, current and historical.',
  '7.5-5': 'Scratch is deleted in the transaction of the settlement.',
  '7.5-6': 'A commit writes the rows it touches, however long the session is.',
  '7.5-7': 'Opening reads live tasks and what they need, not history.',
  '7.5-8': 'Entries that stand in packs read as those that are rows do, for every read and whoever wrote the pack.',
  '7.5-9': 'A reader that reads while its session is packed misses nothing and has nothing twice.',
  '7.5-10': 'A session without packs does not pay for them.',
  '7.5-11': 'A read of packs decodes what it returns and the rest of the packs at its ends.',
  '7.5-12': 'Packs that do not fit the batch they come with reject it before anything is written.',
  '7.5-13': 'Packing is bounded work in a transaction of its own: each entry is a row or in a pack, never both, never neither.',
  '7.5-14': 'What is damaged in a pack is told as damage of the file, and the rest is still read.',

  // Accepting input
  '8.1-1': 'A conversation is busy exactly while its foreground set is not empty.',
  '8.1-2': 'Input to an idle conversation appends a user entry and creates a foreground generation in one commit.',
  '8.1-3': 'Input to a busy conversation goes to its inbox, and nothing of it is in the transcript before it lands.',
  '8.1-4': 'The inbox is a sticky list of the conversation: it survives a restart and does not go into forks.',
  '8.1-5': 'Landing appends a user entry an item, removes the items and creates the generation they ask for, in one commit.',
  '8.1-6': 'Input of mode write lands after tools or with a final answer and asks for no generation.',
  '8.1-7': 'Input of mode steer lands after tools or with a final answer and asks for a generation.',
  '8.1-8': 'Input of mode followUp lands with a final answer only and asks for a generation.',
  '8.1-9': 'Input of mode nextRun lands with the next input to an idle conversation only.',
  '8.1-10': 'Landing takes everything eligible, or the oldest a mode, as configured, in the order of admission.',
  '8.1-11': 'Cancelling a queued item removes it, and says so when there is none any more.',
  '8.1-12': 'Writing to an idle conversation appends the entry at once and asks for no generation.',

  // Hooks
  '8.7-1': 'A kind declares its points, of the host too; registering for or running an undeclared one is rejected.',
  '8.7-2': 'Handlers of a level run in the order of registration, each with the input and the merged output so far.',
  '8.7-3': 'Outputs merge property by property, unless the point of the kind brings a merge of its own.',
  '8.7-4': 'A handler that throws at a point that fails closed makes the run reject with kind and point.',
  '8.7-5': 'At any other point a handler that throws is reported and skipped.',
  '8.7-6': 'Handlers of the engine run first, then those of conversations from outer to inner, so that the innermost wins.',
  '8.7-7': 'A handler of a conversation holds for it alone, or with its subtree for everything owned from it, never for forks.',
  '8.7-8': 'A registration can be taken back.',
  '8.7-9': 'Registering or removing handlers during a run does not disturb that run.',
  '8.7-10': 'A handler may wait as long as it likes and holds up no commit.',
  '8.7-11': 'A run that is aborted rejects with an AbortError, calls no further handler and drops what comes late.',
  '8.7-12': 'Handlers belong to the name of a kind: they go on with a kind that replaces it.',
  '8.7-13': 'Registrations belong to the process: a session opened again has none.',
  '8.7-14': 'A task that waited in a hook when its process died asks again.',

  // Handles
  '9.1-1': 'The root is created by asking for it in an empty session, once, with the initial values, in one commit.',
  '9.1-2': 'A conversation that does not exist or is deleted has no handle.',
  '9.1-3': 'Independent conversations, those without an owner, can be listed by themselves.',
  '9.1-4': 'Accepting returns the id of the entry, and with a request id the same one again.',
  '9.1-5': 'A prompt accepts, drives, and returns the answer to its input, or undefined when the run ended without one.',
  '9.1-6': 'The answer to an entry is the last assistant entry after it and before the next user entry.',
  '9.1-7': 'A request made again, driven and asked for gives the same answer however far the conversation has gone.',
  '9.1-8': 'The signal of a drive ends the wait of its caller and touches no work.',
  '9.1-9': 'Collapsing creates a background collapse task and returns its id; while one is live, the id of that one.',
  '9.1-10': 'Resetting appends a handoff with the message given, or else a reset.',
  '9.1-11': 'A fork can mark the foreground set of its source in its own commit.',
  '9.1-12': 'A handle reads and writes state of its conversation, the engine that of the session.',
  '9.1-13': 'The settings of a handle are the configuration of whatever is registered as the generation kind.',

  // Commits
  '9.2-1': 'Commits run one at a time in the order of their calls.',
  '9.2-2': 'Reads inside a closure see committed state, not what the closure has written.',
  '9.2-3': 'A closure that throws discards everything.',
  '9.2-4': 'A commit resolves with what its closure returned, after persistence and publication.',
  '9.2-5': 'A transaction cannot be used once its closure has returned.',
  '9.2-6': 'A closure is synchronous: one that returns a promise writes nothing.',
  '9.2-7': 'A patch lays its properties over the state of the task, and several of one commit all count.',
  '9.2-8': 'Settling takes a final status and an outcome to lay over the state; patching takes any other status.',
  '9.2-9': 'A commit of a handle has its conversation bound for entries, tasks and state.',

  // Watch
  '9.2-10': 'What runs within a commit is synchronous too: a promise writes nothing.',
  '9.4-1': 'A view has the conversation, its newest entries up to the tail, and the ids of its context.',
  '9.4-2': 'A view has the live tasks, and events tell of start, update with the task before it, and end, for every kind alike.',
  '9.4-3': 'A view has the inbox, and an event tells of its items when they change.',
  '9.4-4': 'A view has the values that registered kinds declare and those asked for, and events tell of their changes.',
  '9.4-5': 'A view has the preview of every live task that has one.',
  '9.4-6': 'Capture and registration are one step on the line.',
  '9.4-7': 'Events come in commit order, all of one commit before any of the next, and the view has them all when they are told.',
  '9.4-8': 'Starting delivers what came since the capture, then what comes.',
  '9.4-9': 'A snapshot asked for by the listener neither blocks nor folds anything twice.',
  '9.4-10': 'A watcher that falls behind its bounded buffer is told, gets nothing more and goes on from a snapshot.',
  '9.4-11': 'Task output travels as operations on the preview only, one append for a streamed token.',
  '9.4-12': 'A head or an edit tells the new context once a commit.',
  '9.4-13': 'The reducer needs no kinds: events as JSON, folded elsewhere, give the same view.',
  '9.4-14': 'An address has one canonical key, equal exactly for equal scope, namespace, key and policy.',
  '9.4-15': 'The first flush of a preview, at attach or reopen, carries its whole base.',
  '9.4-16': 'A raw watch delivers the commits themselves.',
  '9.4-17': 'The session view has conversations and session values, and its events tell of creation, deletion and change.',
  '9.4-18': 'Hook errors and tasks that were given up are told to watchers of the session, with task and kind.',
  '9.4-19': 'A row of usage is told to watchers of the session with the new totals.',
  '9.4-20': 'Watchers of one conversation fold previews without disturbing each other.',
  '9.4-21': 'A listener runs outside the line, and its error reaches the host and stops nobody.',
  '9.4-22': 'Watchers learn of the deletion of their conversation, of faults and of the close.',
  '9.4-23': 'Who unsubscribed hears nothing more.',

  // End to end
  '9.5-1': 'Open, watch, prompt, abort, spawn, drive, fork and close work together as one program.',
  '9.5-2': 'Kinds of the host stand beside the built-in ones; a replacement takes the place of one by its name.',
  '9.5-3': 'Whatever is registered under the name of a built-in task kind is what handles create and refer to.',

  // Conformance of the backends
  '10.1-1': 'One stream of mutations gives the same records and live tasks in memory, JSONL and SQLite, the latter two reopened.',
  '10.1-2': 'The backends agree on transcript pages and inherited prefixes.',
  '10.1-3': 'The backends agree on derived contexts at several boundaries.',
  '10.1-4': 'The backends agree on value deletions and list clears at historical positions.',
  '10.1-5': 'The backends agree on request keys.',
  '10.1-6': 'The backends agree on the lifetimes of scratch.',
  '10.1-7': 'The backends agree on the next sequence number.',
  '10.1-8': 'A fork before and one after a deletion read alike on every backend.',
  '10.1-9': 'A fork before and one after a clear read alike on every backend.',
  '10.1-10': 'A fork before a later summary has the context from before it on every backend.',
  '10.1-11': 'Cutoffs of nested sources cap alike on every backend.',
  '10.1-12': 'Historical reads leave sticky state untouched on every backend.',
  '10.1-13': 'Random histories read as a plain model of the specification says.',

  // Failure and concurrency
  '10.2-1': 'While persistence is paused readers see the old complete state.',
  '10.2-2': 'A commit that was durable when its reply was lost is there at reopening, and its keyed retry returns the same id.',
  '10.2-3': 'Main and scratch writes in one batch are rejected and nothing is written.',
  '10.2-4': 'Of a file with a torn final line that line alone is discarded.',
  '10.2-5': 'A malformed complete line fails the open, and nothing is truncated silently.',
  '10.2-6':
    'When a retirement is committed and the removal of the file fails, the old scratch is invisible, after reopening too.',
  '10.2-7': 'An effect that returns as its abort starts has one owner: it is joined, then aborted.',
  '10.2-8': 'Parallel tasks that settle in either order start their join once.',
  '10.2-9': 'An abort that races the settlement of a join leaves no successor without a mark, in either order.',
  '10.2-10': 'A child that finishes while the task that owns it is marked leaves that task aborted, not done.',
  '10.2-11': 'Two overlapping drives run one execution a task.',
  '10.2-12': 'A caller that gives up its drive affects no other caller and no task.',
  '10.2-13': 'A summary that lands after a competing head is rejected as stale; edits in between do not make it stale.',
  '10.2-14': 'Of cancelling and landing one inbox item one wins on the line, and the loser reports it.',
  '10.2-15': 'A task that hands its retry to a later one settles first: nothing live waits for it.',
  '10.2-16': 'A commit that races the registration of a watch is in its base or in its stream, never in neither or both.',
  '10.2-17': 'Old task ids stay readable after a compaction.',

  // Performance
  '10.3-1': 'Measured: many short turns, with and without tools.',
  '10.3-2': 'Measured: frequent compaction and a cold reopen.',
  '10.3-3': 'Measured: parallel and sequential tools.',
  '10.3-4': 'Measured: large streaming output.',
  '10.3-5': 'Measured: deep forks with repeated historical reads.',
  '10.3-6': 'Measured: many finished child conversations with few live tasks.',
  '10.3-7': 'Measured: many live background tasks.',
  '10.3-8': 'Measured: queued input and cancellation.',
  '10.3-9': 'Reported: processor time and wall latency.',
  '10.3-10': 'Reported: resident memory and heap, that of the backend apart from that of live executions.',
  '10.3-11': 'Reported: bytes on disk, scratch and write-ahead log included.',
  '10.3-12': 'Reported: number of queries and of rows decoded.',
  '10.3-13': 'Memory of the SQLite backend does not grow with history: it keeps no copy of it.',
  '10.3-14': 'What a turn reads and writes does not grow with the history before it.',
};
