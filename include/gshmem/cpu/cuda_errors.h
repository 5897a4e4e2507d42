/* cuda_errors.h - the errors of the CUDA runtime that the CPU device knows, one source for
 * values, names and texts.
 *
 * Values are CUDA's; those of the driver's interface are the same.
 */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSHMEM_CPU_CUDA_ERRORS_H
#define GSHMEM_CPU_CUDA_ERRORS_H

/* X(value, name, text) */
/* clang-format off */
#define GSH_CUDA_ERRORS(X) \
    X(0, cudaSuccess, "no error") \
    X(1, cudaErrorInvalidValue, "invalid argument") \
    X(2, cudaErrorMemoryAllocation, "out of memory") \
    X(3, cudaErrorInitializationError, "initialization failed") \
    X(9, cudaErrorInvalidConfiguration, \
      "invalid launch configuration: too many or no threads or blocks, or too much shared memory") \
    X(12, cudaErrorInvalidPitchValue, "a row is longer than its pitch") \
    X(13, cudaErrorInvalidSymbol, "no such symbol") \
    X(16, cudaErrorInvalidHostPointer, "not an address of host memory") \
    X(17, cudaErrorInvalidDevicePointer, "not an address of device memory") \
    X(21, cudaErrorInvalidMemcpyDirection, "no such kind of copy") \
    X(35, cudaErrorInsufficientDriver, "the driver is older than the runtime") \
    X(46, cudaErrorDevicesUnavailable, "the devices are in use or forbidden") \
    X(49, cudaErrorIncompatibleDriverContext, "the context is not the runtime's") \
    X(52, cudaErrorMissingConfiguration, "a kernel has no launch configuration") \
    X(98, cudaErrorInvalidDeviceFunction, "no kernel has this address") \
    X(100, cudaErrorNoDevice, "there is no device") \
    X(101, cudaErrorInvalidDevice, "no device has this number") \
    X(200, cudaErrorInvalidKernelImage, "the kernel image is damaged") \
    X(201, cudaErrorDeviceUninitialized, "no context is current") \
    X(209, cudaErrorNoKernelImageForDevice, "no kernel was compiled for this device") \
    X(215, cudaErrorUnsupportedLimit, "the device has no such limit") \
    X(216, cudaErrorDeviceAlreadyInUse, "another process has the device") \
    X(217, cudaErrorPeerAccessUnsupported, "a device is not its own peer") \
    X(304, cudaErrorOperatingSystem, "a call to the operating system failed") \
    X(400, cudaErrorInvalidResourceHandle, "no such stream, event or graph") \
    X(401, cudaErrorIllegalState, "not in this state of the stream") \
    X(500, cudaErrorSymbolNotFound, "no such name") \
    X(600, cudaErrorNotReady, "the work has not ended yet") \
    X(700, cudaErrorIllegalAddress, "a kernel used an address that is not valid") \
    X(701, cudaErrorLaunchOutOfResources, "a launch asks for too many resources") \
    X(702, cudaErrorLaunchTimeout, "a kernel ran too long") \
    X(704, cudaErrorPeerAccessAlreadyEnabled, "peer access is enabled already") \
    X(705, cudaErrorPeerAccessNotEnabled, "peer access is not enabled") \
    X(708, cudaErrorSetOnActiveProcess, "must be set before the device is used") \
    X(709, cudaErrorContextIsDestroyed, "the context is gone") \
    X(710, cudaErrorAssert, "an assertion in a kernel failed") \
    X(712, cudaErrorHostMemoryAlreadyRegistered, "this host memory is registered already") \
    X(713, cudaErrorHostMemoryNotRegistered, "this host memory is not registered") \
    X(714, cudaErrorHardwareStackError, "stack error in a kernel") \
    X(715, cudaErrorIllegalInstruction, "a kernel ran an illegal instruction") \
    X(716, cudaErrorMisalignedAddress, "a kernel used an address that is not aligned") \
    X(717, cudaErrorInvalidAddressSpace, "an instruction met an address of another space") \
    X(718, cudaErrorInvalidPc, "a kernel jumped to no code") \
    X(719, cudaErrorLaunchFailure, "a kernel failed") \
    X(720, cudaErrorCooperativeLaunchTooLarge, \
      "the blocks of a cooperative launch cannot all run at once") \
    X(800, cudaErrorNotPermitted, \
      "not allowed here, for instance in a host function of a stream") \
    X(801, cudaErrorNotSupported, "the CPU device does not have this") \
    X(900, cudaErrorStreamCaptureUnsupported, "a stream that is being captured cannot do this") \
    X(901, cudaErrorStreamCaptureInvalidated, \
      "an earlier error has ended the capture of this stream") \
    X(902, cudaErrorStreamCaptureMerge, "two captures cannot be merged") \
    X(903, cudaErrorStreamCaptureUnmatched, "the capture was not begun in this stream") \
    X(904, cudaErrorStreamCaptureUnjoined, \
      "the capture forked into a stream that was not joined again") \
    X(905, cudaErrorStreamCaptureIsolation, \
      "a captured stream cannot wait for work that is not captured") \
    X(906, cudaErrorStreamCaptureImplicit, \
      "the default stream would wait for a stream that is being captured") \
    X(907, cudaErrorCapturedEvent, \
      "the event was recorded in a capture and tells of no work that runs") \
    X(908, cudaErrorStreamCaptureWrongThread, "another thread began this capture") \
    X(909, cudaErrorTimeout, "it took too long") \
    X(910, cudaErrorGraphExecUpdateFailure, \
      "the graph differs too much from the one that was instantiated") \
    X(912, cudaErrorInvalidClusterSize, "clusters of more than one block are not supported") \
    X(999, cudaErrorUnknown, "unknown error")
/* clang-format on */

#endif /* GSHMEM_CPU_CUDA_ERRORS_H */
